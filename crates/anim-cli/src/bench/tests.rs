//! All ways to draw a crowd draw the same crowd: else their times could not be compared.

use anim_format::model::Encoding;

use super::cases::make;
use super::rig::rig;
use super::stage::{BenchModel, HEIGHT, Stage, Triangles, WIDTH};
use super::subject::Frame;
use crate::args::CaseArg;
use crate::gpu::frame_timer::FrameTimer;
use crate::gpu::target::OffScreen;
use crate::gpu::{Gpu, LimitsWish};

/// Which pixels are not the background, row by row.
fn silhouette(stage: &Stage<'_>, case: CaseArg, triangles: Triangles) -> Vec<bool> {
    let mut subject = make(stage, case).expect("a case");
    let view = subject.view(stage, triangles).expect("a view");
    let mut timer = FrameTimer::new(stage.gpu);
    let encoder = stage.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    // In the middle of the fades, so that both clips have the same weight.
    let mut frame = Frame { stage, encoder, view: &view, seconds: 501.0, number: 1, timer: &mut timer };
    subject.frame(&mut frame).expect("a frame");
    let encoder = frame.encoder;
    let picture = stage.target.finish(stage.gpu, encoder).expect("a picture");
    picture.pixels().map(|pixel| pixel.0 != [0, 0, 0]).collect()
}

fn with_stage(check: impl FnOnce(&Stage<'_>)) {
    let gpu = Gpu::open(None, LimitsWish::Adapter).unwrap_or_else(|failure| {
        panic!("no GPU for tests, a software one does: {:?}", failure.problems);
    });
    let file = rig(Encoding::Affine32);
    let model = BenchModel::new(&file).expect("the rig");
    let target = OffScreen::new(&gpu.device, (WIDTH, HEIGHT), 1);
    check(&Stage::new(&gpu, &model, &target, 9));
}

#[test]
fn every_way_to_draw_a_crowd_draws_the_same_crowd() {
    with_stage(|stage| {
        for (ours, others) in [
            (
                CaseArg::Untouched,
                &[
                    CaseArg::Texture16,
                    CaseArg::Texture32,
                    CaseArg::CpuPalettes,
                    CaseArg::DrawEach,
                    CaseArg::Half,
                    CaseArg::Ready,
                    CaseArg::Direct,
                ][..],
            ),
            (CaseArg::Fading, &[CaseArg::DirectFading, CaseArg::Texture16Fading, CaseArg::Texture32Fading]),
        ] {
            let expected = silhouette(stage, ours, Triangles::Visible);
            let covered = expected.iter().filter(|seen| **seen).count();
            assert!(covered > 10_000, "{ours:?} covers {covered} pixels only");
            for other in others {
                let found = silhouette(stage, *other, Triangles::Visible);
                let differing = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
                assert!(differing < covered / 100, "{other:?}: {differing} of {covered} pixels differ");
            }
            // The two clips of a fade are not the pose that one of them has alone.
            let rigid = silhouette(stage, CaseArg::Rigid, Triangles::Visible);
            let moved = rigid.iter().zip(&expected).filter(|(a, b)| a != b).count();
            assert!(moved > covered / 10, "{ours:?} is as good as rigid: {moved} of {covered} pixels differ");
        }
    });
}

#[test]
fn triangles_beside_the_picture_leave_nothing_in_it() {
    with_stage(|stage| {
        for case in
            [CaseArg::Untouched, CaseArg::Rigid, CaseArg::Texture16, CaseArg::CpuPalettes, CaseArg::DrawEach]
        {
            let found = silhouette(stage, case, Triangles::Culled);
            assert!(!found.contains(&true), "{case:?}");
            let view = stage.view(Triangles::Culled);
            assert_eq!(stage.visible(&view), 9, "culling leaves instances out");
        }
    });
}

#[test]
fn all_instances_are_in_view_but_for_the_case_that_is_about_culling() {
    with_stage(|stage| {
        assert_eq!(stage.visible(&stage.view(Triangles::Visible)), 9);
        let target = OffScreen::new(&stage.gpu.device, (16, 16), 1);
        let many = Stage::new(stage.gpu, stage.model, &target, 100_000);
        assert_eq!(many.visible(&many.view(Triangles::Visible)), 100_000);
        let few = many.visible(&many.close_view());
        assert!((20..2_000).contains(&few), "{few}");
    });
}
