//! Trials on the clips of a finished file, without the settings that it was baked with.

use std::borrow::Cow;

use anim_format::model::AnimFile;

use super::{Trials, geometry_of_file, plans_of_file};
use crate::assemble::skeleton_tables;
use crate::bake::{Prepared, empty_file};
use crate::diagnostics::BakeError;
use crate::evaluate::{ClipCurves, mesh_instances};
use crate::settings::BakeSettings;
use crate::source::SourceAsset;

impl<'a> Trials<'a> {
    /// Prepares trials of a file's clips, bones and vertices; clips have the rates of its first page set.
    ///
    /// # Errors
    ///
    /// If the file was not made from this source: a clip, a bone, or the vertex order and topology differs.
    pub fn of_file(asset: &'a SourceAsset, baked: &AnimFile<'_>) -> Result<Self, BakeError> {
        let (table, geometry) = geometry_of_file(asset, baked)?;
        let mut file = empty_file();
        skeleton_tables(&mut file, asset, &table, &[]);
        file.extent = baked.extent;
        let prepared = Prepared {
            clips: plans_of_file(asset, baked, 0)?,
            instances: mesh_instances(asset),
            rest_pose: ClipCurves::new(asset, None).model_poses(0.0),
            table,
            geometry,
            file,
        };
        let largest_page = baked.page_sets.iter().map(|set| set.width.max(set.height)).max();
        let default = BakeSettings::default();
        let max_texture_size = default.max_texture_size.max(largest_page.unwrap_or(0));
        Ok(Self::with(asset, &BakeSettings { max_texture_size, ..default }, Cow::Owned(prepared)))
    }
}
