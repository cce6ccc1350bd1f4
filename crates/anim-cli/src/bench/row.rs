//! Rows of the report: what was measured of a case, or why nothing was.

use serde_json::{Value, json};

use super::cases::{case_name, path_name};
use super::measure::{Measured, Sample, median, quantile};
use super::stage::Triangles;
use crate::args::CaseArg;
use crate::gpu::frame_timer::Pass;

/// One row.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) case: CaseArg,
    pub(crate) triangles: Triangles,
    pub(crate) instances: u32,
    pub(crate) visible: u64,
    /// Vertices of all visible instances.
    pub(crate) vertices: u64,
    pub(crate) samples: Vec<Sample>,
    pub(crate) vertex_bytes: u64,
    pub(crate) memory_bytes: u64,
    /// Why nothing, or not everything, was measured.
    pub(crate) skipped: Option<String>,
}

/// Medians of a row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Medians {
    /// Move, cull, palette, draw.
    pub(crate) passes_ms: [Option<f64>; 4],
    pub(crate) gpu_ms: f64,
    pub(crate) gpu_low_ms: f64,
    pub(crate) gpu_high_ms: f64,
    pub(crate) cpu_ms: f64,
    pub(crate) wall_ms: f64,
    pub(crate) uploaded_bytes: u64,
}

impl Row {
    /// The row of a run.
    pub(crate) fn of_run(
        case: CaseArg,
        run: Measured,
        instances: u32,
        vertices_an_instance: u32,
        (vertex_bytes, memory_bytes): (u64, u64),
    ) -> Self {
        Self {
            case,
            triangles: run.triangles,
            instances,
            visible: run.visible,
            vertices: run.visible * u64::from(vertices_an_instance),
            samples: run.samples,
            vertex_bytes,
            memory_bytes,
            skipped: run.failure,
        }
    }

    /// A row of a case that was not measured.
    pub(crate) fn skipped(case: CaseArg, instances: u32, triangles: Triangles, reason: String) -> Self {
        Self {
            case,
            triangles,
            instances,
            visible: 0,
            vertices: 0,
            samples: Vec::new(),
            vertex_bytes: 0,
            memory_bytes: 0,
            skipped: Some(reason),
        }
    }

    /// Medians, if anything was measured.
    pub(crate) fn medians(&self) -> Option<Medians> {
        let samples = || self.samples.iter();
        let gpu_ms = median(samples().map(Sample::gpu_ms))?;
        Some(Medians {
            passes_ms: std::array::from_fn(|pass| median(samples().filter_map(|s| s.passes_ms[pass]))),
            gpu_ms,
            gpu_low_ms: quantile(samples().map(Sample::gpu_ms), 0.1)?,
            gpu_high_ms: quantile(samples().map(Sample::gpu_ms), 0.9)?,
            cpu_ms: median(samples().map(|sample| sample.cpu_ms))?,
            wall_ms: median(samples().map(|sample| sample.wall_ms))?,
            // The first frames after a crowd is filled upload all of it; the usual frame is what counts.
            uploaded_bytes: self.samples.last()?.uploaded_bytes,
        })
    }

    /// Bytes of GPU memory an instance.
    #[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
    pub(crate) fn instance_bytes(&self) -> f64 {
        self.memory_bytes as f64 / f64::from(self.instances.max(1))
    }

    /// Time between frames that this row allows where CPU and GPU work at the same time: the longer of both.
    pub(crate) fn frame_ms(&self) -> Option<f64> {
        self.medians().map(|medians| medians.cpu_ms.max(medians.gpu_ms))
    }

    /// The row as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let medians = self.medians();
        let number = |value: fn(&Medians) -> f64| medians.as_ref().map(value);
        let pass = |pass: Pass| medians.as_ref().and_then(|medians| medians.passes_ms[pass as usize]);
        json!({
            "path": path_name(self.case),
            "case": case_name(self.case),
            "triangles": self.triangles.name(),
            "instances": self.instances,
            "visible": self.visible,
            "vertices": self.vertices,
            "frames": self.samples.len(),
            "gpu_ms": {
                "move": pass(Pass::Move),
                "cull": pass(Pass::Cull),
                "palette": pass(Pass::Palette),
                "draw": pass(Pass::Draw),
                "total": number(|m| m.gpu_ms),
                "total_p10": number(|m| m.gpu_low_ms),
                "total_p90": number(|m| m.gpu_high_ms),
            },
            "cpu_ms": number(|m| m.cpu_ms),
            "wall_ms": number(|m| m.wall_ms),
            "uploaded_bytes": medians.map(|m| m.uploaded_bytes),
            "vertex_bytes": self.vertex_bytes,
            "memory_bytes": self.memory_bytes,
            "instance_bytes": self.instance_bytes(),
            "skipped": self.skipped,
        })
    }
}

/// Columns of a CSV file.
pub(crate) const CSV_HEADER: &str = "path,case,triangles,instances,visible,vertices,frames,move_ms,cull_ms,\
palette_ms,draw_ms,gpu_ms,gpu_p10_ms,gpu_p90_ms,cpu_ms,wall_ms,uploaded_bytes,vertex_bytes,memory_bytes,\
instance_bytes,skipped\n";

impl Row {
    /// The row as a line of a CSV file; what was not measured is empty.
    pub(crate) fn to_csv(&self) -> String {
        let medians = self.medians();
        let mut cells = vec![
            path_name(self.case).to_owned(),
            case_name(self.case).to_owned(),
            self.triangles.name().to_owned(),
            self.instances.to_string(),
            self.visible.to_string(),
            self.vertices.to_string(),
            self.samples.len().to_string(),
        ];
        let ms = |value: Option<f64>| value.map(|ms| format!("{ms:.6}")).unwrap_or_default();
        let passes = medians.map(|m| m.passes_ms).unwrap_or_default();
        cells.extend(passes.map(ms));
        let all = medians.map(|m| [m.gpu_ms, m.gpu_low_ms, m.gpu_high_ms, m.cpu_ms, m.wall_ms]);
        cells.extend((0..5).map(|i| ms(all.map(|all| all[i]))));
        cells.push(medians.map(|m| m.uploaded_bytes.to_string()).unwrap_or_default());
        cells.push(self.vertex_bytes.to_string());
        cells.push(self.memory_bytes.to_string());
        cells.push(format!("{:.1}", self.instance_bytes()));
        cells.push(self.skipped.clone().unwrap_or_default().replace(['"', '\n'], " "));
        if let Some(last) = cells.last_mut().filter(|cell| cell.contains(',')) {
            *last = format!("\"{last}\"");
        }
        cells.join(",") + "\n"
    }
}
