//! The list of cases, what each is, and which are measured in turn.

use anim_core::encoding::RowsEncoding;

use super::crowd_case::{CrowdCase, CrowdSubject};
use super::rivals::cpu_palettes::CpuPalettes;
use super::rivals::draw_each::DrawEach;
use super::rivals::rigid::Rigid;
use super::rivals::texture::TextureRival;
use super::stage::Stage;
use super::subject::Subject;
use crate::args::CaseArg;

/// Cases that are measured in turn: those that ratios are made of are together, the others alone, so that few large
/// crowds are in memory at once.
pub(crate) const GROUPS: &[&[CaseArg]] = &[
    &[CaseArg::Untouched, CaseArg::Rigid, CaseArg::Texture16, CaseArg::Texture32, CaseArg::Direct],
    &[CaseArg::Fading, CaseArg::Texture16Fading, CaseArg::Texture32Fading, CaseArg::DirectFading],
    &[CaseArg::ThreeLayers],
    &[CaseArg::Rows, CaseArg::RowsFading, CaseArg::RowsThreeLayers],
    &[CaseArg::MovedCpu],
    &[CaseArg::MovedGpu],
    &[CaseArg::CullOnly],
    &[CaseArg::Half],
    &[CaseArg::DepthOnly, CaseArg::Ready],
    &[CaseArg::CpuPalettes],
    &[CaseArg::DrawEach],
];

/// Name of the way in which a case finds its bones.
pub(crate) const fn path_name(case: CaseArg) -> &'static str {
    match case {
        CaseArg::Rigid => "rigid",
        CaseArg::Texture16 | CaseArg::Texture16Fading => "texture-rgba16f",
        CaseArg::Texture32 | CaseArg::Texture32Fading => "texture-rgba32f",
        CaseArg::CpuPalettes => "cpu-palettes",
        CaseArg::DrawEach => "draw-each",
        CaseArg::Direct | CaseArg::DirectFading => "direct",
        CaseArg::Rows | CaseArg::RowsFading | CaseArg::RowsThreeLayers => "palette-rows",
        _ => "palette",
    }
}

/// Name of what a case does.
pub(crate) const fn case_name(case: CaseArg) -> &'static str {
    match case {
        CaseArg::Fading
        | CaseArg::RowsFading
        | CaseArg::Texture16Fading
        | CaseArg::Texture32Fading
        | CaseArg::DirectFading => "fading",
        CaseArg::ThreeLayers | CaseArg::RowsThreeLayers => "three-layers",
        CaseArg::MovedCpu => "moved-cpu",
        CaseArg::MovedGpu => "moved-gpu",
        CaseArg::CullOnly => "cull-only",
        CaseArg::Half => "half",
        CaseArg::DepthOnly => "depth-only",
        CaseArg::Ready => "ready",
        _ => "untouched",
    }
}

/// Makes what is measured; an error says why it cannot be.
pub(crate) fn make(stage: &Stage<'_>, case: CaseArg) -> Result<Box<dyn Subject>, String> {
    let crowd = |case| -> Result<Box<dyn Subject>, String> { Ok(Box::new(CrowdSubject::new(stage, case)?)) };
    let texture = |encoding, fading| -> Result<Box<dyn Subject>, String> {
        Ok(Box::new(TextureRival::new(stage, encoding, fading)?))
    };
    match case {
        CaseArg::Untouched => crowd(CrowdCase::Untouched),
        CaseArg::Fading => crowd(CrowdCase::Fading),
        CaseArg::ThreeLayers => crowd(CrowdCase::ThreeLayers),
        CaseArg::Rows => crowd(CrowdCase::Rows),
        CaseArg::RowsFading => crowd(CrowdCase::RowsFading),
        CaseArg::RowsThreeLayers => crowd(CrowdCase::RowsThreeLayers),
        CaseArg::MovedCpu => crowd(CrowdCase::MovedCpu),
        CaseArg::MovedGpu => crowd(CrowdCase::MovedGpu),
        CaseArg::CullOnly => crowd(CrowdCase::CullOnly),
        CaseArg::Half => crowd(CrowdCase::Half),
        CaseArg::DepthOnly => crowd(CrowdCase::DepthOnly),
        CaseArg::Ready => crowd(CrowdCase::Ready),
        CaseArg::Direct => crowd(CrowdCase::Direct),
        CaseArg::DirectFading => crowd(CrowdCase::DirectFading),
        CaseArg::Rigid => Ok(Box::new(Rigid::new(stage)?)),
        CaseArg::Texture16 => texture(RowsEncoding::Affine16, false),
        CaseArg::Texture16Fading => texture(RowsEncoding::Affine16, true),
        CaseArg::Texture32 => texture(RowsEncoding::Affine32, false),
        CaseArg::Texture32Fading => texture(RowsEncoding::Affine32, true),
        CaseArg::CpuPalettes => Ok(Box::new(CpuPalettes::new(stage)?)),
        CaseArg::DrawEach => Ok(Box::new(DrawEach::new(stage)?)),
    }
}

/// Bytes that a case's palettes need on the GPU: most of what it needs.
pub(crate) fn palette_bytes(stage: &Stage<'_>, case: CaseArg) -> u64 {
    let bones = u64::from(stage.model.bones) * u64::from(stage.count);
    match (path_name(case), case) {
        ("palette", CaseArg::Half) => bones * 24,
        ("palette" | "palette-rows" | "cpu-palettes" | "draw-each", _) => bones * 48,
        _ => 0,
    }
}
