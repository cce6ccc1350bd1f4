//! The report of a run: the table, the ratios, and on what all of it was measured.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::cases::{case_name, path_name};
use super::measure::Frames;
use super::page_bytes::PageBytes;
use super::ratios::{Ratio, fastest};
use super::row::Row;
use super::stage::{BenchModel, HEIGHT, WIDTH};
use crate::gpu::{Gpu, describe};
use crate::tables::encoding_name;
use crate::text::{Rows, bytes, digits, heading, printable};

/// Everything that a report says.
pub(crate) struct Report<'r> {
    pub(crate) gpu: &'r Gpu,
    pub(crate) model: &'r BenchModel<'r>,
    pub(crate) model_name: String,
    pub(crate) limits: &'static str,
    pub(crate) frames: Frames,
    pub(crate) rows: Vec<Row>,
    pub(crate) ratios: Vec<Ratio>,
    pub(crate) notes: Vec<String>,
}

impl Report<'_> {
    /// What the times of the GPU are.
    fn clock(&self) -> &'static str {
        match (self.gpu.timestamps, self.gpu.is_software()) {
            (false, _) => "wall",
            (true, true) => "software",
            (true, false) => "gpu",
        }
    }

    fn clock_text(&self) -> &'static str {
        match self.clock() {
            "wall" => "no timestamps on this device: GPU times are wall times of submit and wait",
            "software" => "timestamps of a software adapter: GPU times are times of this machine's CPU",
            _ => "real timestamps of the GPU",
        }
    }

    /// The report as text.
    pub(crate) fn to_text(&self) -> String {
        let info = &self.gpu.info;
        let mut text = String::new();
        let limits = self.gpu.device.limits();
        let mut line = |name: &str, value: &str| {
            let _ = writeln!(text, "{name:>9}: {}", printable(value));
        };
        line("adapter", &format!("{}, {:?}", describe(info), info.device_type));
        line("driver", &format!("{} {}", info.driver, info.driver_info));
        line(
            "limits",
            &format!(
                "{}: buffers of {}, bindings of {}",
                self.limits,
                bytes(limits.max_buffer_size),
                bytes(limits.max_storage_buffer_binding_size)
            ),
        );
        line("build", profile());
        line("clock", self.clock_text());
        let mesh = &self.model.mesh;
        line(
            "model",
            &format!(
                "{}: {} vertices, {} triangles, {} bones, {} clips, {}",
                self.model_name,
                mesh.vertex_count,
                mesh.indices.len() / 3,
                self.model.bones,
                self.model.clips.len(),
                self.encoding(),
            ),
        );
        if let Some(page_bytes) = PageBytes::of(self.model.file) {
            line("reads", &page_bytes.to_text());
        }
        line(
            "frames",
            &format!(
                "medians of up to {} after {} to warm up, drawn to {WIDTH} x {HEIGHT}",
                self.frames.measured, self.frames.warm_up
            ),
        );
        text.push('\n');
        text.push_str(&self.table());
        text.push_str(&self.conclusions());
        for note in &self.notes {
            let _ = writeln!(text, "note: {}", printable(note));
        }
        text
    }

    fn encoding(&self) -> &'static str {
        self.model.file.page_sets.first().map_or("no pages", |set| encoding_name(set.encoding))
    }

    fn table(&self) -> String {
        let columns = [
            "path",
            "case",
            "triangles",
            "instances",
            "visible",
            "vertices",
            "move",
            "cull",
            "palette",
            "draw",
            "GPU ms",
            "CPU ms",
            "wall ms",
            "uploaded",
            "B/vertex",
            "memory",
            "B/instance",
            "frames",
        ];
        let mut table = Rows::new(&columns, true, 0);
        let mut skipped = String::new();
        for row in &self.rows {
            let names = [path_name(row.case), case_name(row.case), row.triangles.name()];
            let Some(medians) = row.medians() else {
                let reason = row.skipped.as_deref().unwrap_or("nothing was measured");
                let _ = writeln!(
                    skipped,
                    "not measured: {} {} ({}) with {} instances: {}",
                    names[0],
                    names[1],
                    names[2],
                    row.instances,
                    printable(reason)
                );
                continue;
            };
            if let Some(reason) = &row.skipped {
                let _ = writeln!(
                    skipped,
                    "ended early: {} {} ({}) with {} instances: {}",
                    names[0],
                    names[1],
                    names[2],
                    row.instances,
                    printable(reason)
                );
            }
            let pass = |pass: usize| medians.passes_ms[pass].map_or_else(|| "-".to_owned(), milliseconds);
            let mut cells: Vec<String> = names.map(str::to_owned).into();
            cells.extend([row.instances.to_string(), row.visible.to_string(), row.vertices.to_string()]);
            cells.extend((0..4).map(pass));
            cells.extend([medians.gpu_ms, medians.cpu_ms, medians.wall_ms].map(milliseconds));
            cells.push(bytes(medians.uploaded_bytes));
            cells.push(row.vertex_bytes.to_string());
            cells.push(bytes(row.memory_bytes));
            cells.push(digits(row.instance_bytes()));
            cells.push(row.samples.len().to_string());
            table.add(cells);
        }
        table.to_text() + &skipped
    }

    fn conclusions(&self) -> String {
        let mut text = String::new();
        if !self.ratios.is_empty() {
            text.push('\n');
            text.push_str(&heading("Ratios of frames drawn in turn"));
            let mut table = Rows::new(&["ratio", "triangles", "instances", "value", "frames"], true, 0);
            for ratio in &self.ratios {
                table.add([
                    ratio.what.to_owned(),
                    ratio.triangles.name().to_owned(),
                    ratio.instances.to_string(),
                    digits(ratio.value),
                    ratio.frames.to_string(),
                ]);
            }
            text.push_str(&table.to_text());
        }
        if let Some((path, instances, ms)) = fastest(&self.rows) {
            let _ = writeln!(
                text,
                "\nThe fastest path on this device with {instances} instances is {path}: {} ms a frame \
                 (the longer of CPU and GPU, triangles culled).",
                milliseconds(ms)
            );
        }
        text
    }

    /// The report as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let info = &self.gpu.info;
        let limits = self.gpu.device.limits();
        let mesh = &self.model.mesh;
        json!({
            "schema": "anim-bench/1",
            "adapter": {
                "name": info.name,
                "driver": info.driver,
                "driver_info": info.driver_info,
                "backend": info.backend.to_string(),
                "device_type": format!("{:?}", info.device_type),
            },
            "limits": {
                "asked_for": self.limits,
                "max_buffer_size": limits.max_buffer_size,
                "max_storage_buffer_binding_size": limits.max_storage_buffer_binding_size,
                "max_texture_dimension_2d": limits.max_texture_dimension_2d,
            },
            "clock": self.clock(),
            "profile": profile(),
            "model": {
                "name": self.model_name,
                "vertices": mesh.vertex_count,
                "triangles": mesh.indices.len() / 3,
                "bones": self.model.bones,
                "clips": self.model.clips.len(),
                "encoding": self.encoding(),
                "reads": PageBytes::of(self.model.file).map(PageBytes::to_json),
            },
            "picture": { "width": WIDTH, "height": HEIGHT },
            "frames": self.frames.measured,
            "warm_up_frames": self.frames.warm_up,
            "rows": self.rows.iter().map(Row::to_json).collect::<Vec<_>>(),
            "ratios": self.ratios.iter().map(Ratio::to_json).collect::<Vec<_>>(),
            "fastest": fastest(&self.rows).map(|(path, instances, frame_ms)| {
                json!({ "path": path, "instances": instances, "frame_ms": frame_ms })
            }),
            "notes": self.notes,
        })
    }
}

fn milliseconds(ms: f64) -> String {
    format!("{ms:.3}")
}

const fn profile() -> &'static str {
    if cfg!(debug_assertions) { "debug: with checks that a release does not have" } else { "release" }
}
