//! The layout of a contact sheet: which poses, how large, where, with which labels.

use anim_core::clip_time::ClipMode;
use anim_format::model::{AnimFile, Bounds, Rows};
use anim_format::playback::{palette_at, rest_palette};
use image::{Rgb, RgbImage, imageops};
use rayon::prelude::*;

use super::label::write;
use super::scene::{Scene, bounds_of_pose, grid_spacing, has_vertices};
use crate::input::ClipChoice;
use crate::tables::mode_name;
use crate::text;

/// Clips on one sheet; the others are left out, and a note says so.
const CLIPS_MAX: usize = 240;
/// Pixels around pictures.
const GAP: u32 = 4;
/// Height of the line above the pictures of a clip.
const HEADER: u32 = 14;
/// A clip whose box is this many times as long as the model is large is followed by the camera.
const FOLLOWED: f32 = 6.0;
/// Height of the title.
const TITLE: u32 = 26;

const PAPER: [u8; 3] = [250, 250, 250];
const INK: [u8; 3] = [20, 24, 32];
const FAINT: [u8; 3] = [70, 78, 92];

/// What to draw.
#[derive(Clone, Debug, Default)]
pub(crate) struct SheetOptions {
    /// Clips; all if empty.
    pub(crate) clips: Vec<ClipChoice>,
    /// Poses of each clip.
    pub(crate) frames: Option<u32>,
    /// Side of a picture in pixels.
    pub(crate) cell: Option<u32>,
}

/// A finished sheet.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) image: RgbImage,
    /// The clips that were drawn, in order.
    pub(crate) rows: Vec<SheetRow>,
    /// What the user should know about the sheet.
    pub(crate) notes: Vec<String>,
}

/// The poses of one clip.
#[derive(Clone, Debug)]
pub(crate) struct SheetRow {
    /// Number of the clip; `None` for the rest pose.
    pub(crate) clip: Option<usize>,
    /// Times of the poses, in seconds.
    pub(crate) times_seconds: Vec<f64>,
}

/// How many pictures, how large, in how many columns of clips.
#[derive(Clone, Copy, Debug)]
struct Layout {
    columns: usize,
    frames: u32,
    cell: u32,
}

/// One picture of a sheet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    /// Number of the clip; `None` for the rest pose.
    pub(crate) clip: Option<usize>,
    pub(crate) time_seconds: f64,
    /// The box that the camera frames.
    pub(crate) bounds: Bounds,
    /// Side in pixels.
    pub(crate) side: u32,
}

impl Cell {
    /// Skinning matrices of the pose.
    pub(crate) fn palette(&self, file: &AnimFile<'_>) -> Vec<Rows> {
        let mut palette = rest_palette(file);
        if let Some(clip) = self.clip {
            palette_at(file, &file.clips[clip], self.time_seconds, &mut palette);
        }
        palette
    }
}

/// What goes where on a sheet, before anything is drawn.
#[derive(Clone, Debug)]
pub(crate) struct SheetPlan {
    rows: Vec<SheetRow>,
    layout: Layout,
    notes: Vec<String>,
}

impl SheetPlan {
    /// Plans a sheet.
    pub(crate) fn new(file: &AnimFile<'_>, options: &SheetOptions) -> Self {
        let mut notes = Vec::new();
        let mut clips = options.clips.clone();
        if clips.is_empty() {
            clips = (0..file.clips.len()).map(ClipChoice::Clip).collect();
        }
        if clips.len() > CLIPS_MAX {
            notes.push(format!("… and {} more clips: choose them with --clip", clips.len() - CLIPS_MAX));
            clips.truncate(CLIPS_MAX);
        }
        let layout = Layout::of(clips.len(), options);
        let rows = clips.iter().map(|clip| SheetRow::of(file, *clip, layout.frames)).collect();
        Self { rows, layout, notes }
    }

    /// The pictures to draw, row by row.
    pub(crate) fn cells(&self, file: &AnimFile<'_>) -> Vec<Cell> {
        let cell = |row: &SheetRow, time_seconds: f64| {
            let side = self.layout.cell;
            let mut cell = Cell { clip: row.clip, time_seconds, bounds: row.bounds(file), side };
            if row.is_followed(file) {
                cell.bounds = bounds_of_pose(file, &cell.palette(file));
            }
            cell
        };
        self.rows.iter().flat_map(|row| row.times_seconds.iter().map(move |time| cell(row, *time))).collect()
    }

    /// Puts pictures, one a cell, on paper.
    pub(crate) fn sheet(mut self, file: &AnimFile<'_>, title: &str, drawn: Drawn) -> Sheet {
        let layout = self.layout;
        let mut image = layout.paper(self.rows.len());
        write(&mut image, GAP, 6, u32::MAX, 2, INK, title);
        let mut pictures = drawn.pictures.into_iter();
        for (number, row) in self.rows.iter().enumerate() {
            let (left, top) = layout.place(number, self.rows.len());
            let width = layout.block_width() - GAP;
            write(&mut image, left, top + 3, width, 1, INK, &row.header(file));
            for (column, time) in (0..).zip(&row.times_seconds) {
                let mut picture = pictures.next().expect("a picture for each time");
                let caption = format!("{} s", text::short(*time));
                write(&mut picture, 4, layout.cell - 12, layout.cell - 8, 1, FAINT, &caption);
                let x = left + column * (layout.cell + GAP);
                imageops::replace(&mut image, &picture, i64::from(x), i64::from(top + HEADER));
            }
        }
        self.notes.extend(drawn.notes);
        Sheet { image, rows: self.rows, notes: self.notes }
    }
}

/// Pictures of cells, in their order, and what the user should know about them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawn {
    pub(crate) pictures: Vec<RgbImage>,
    pub(crate) notes: Vec<String>,
}

/// Draws cells on the CPU.
pub(crate) fn draw_on_cpu(file: &AnimFile<'_>, cells: &[Cell]) -> Drawn {
    let mut notes = Vec::new();
    let scene = Scene::new(file, &mut notes);
    let draw = |cell: &Cell| scene.draw(cell.side, &cell.bounds, &cell.palette(file));
    Drawn { pictures: cells.par_iter().map(draw).collect(), notes }
}

impl SheetRow {
    fn of(file: &AnimFile<'_>, choice: ClipChoice, frames: u32) -> Self {
        let ClipChoice::Clip(index) = choice else {
            return Self { clip: None, times_seconds: vec![0.0] };
        };
        let clip = &file.clips[index];
        let duration = f64::from(clip.duration_seconds);
        if duration == 0.0 {
            return Self { clip: Some(index), times_seconds: vec![0.0] };
        }
        // The end of a loop is its start again; other clips show their end.
        let parts = if clip.mode == ClipMode::Loop { frames } else { frames.saturating_sub(1).max(1) };
        let time = |frame: u32| duration * f64::from(frame) / f64::from(parts);
        Self { clip: Some(index), times_seconds: (0..frames).map(time).collect() }
    }

    fn bounds(&self, file: &AnimFile<'_>) -> Bounds {
        match self.clip {
            Some(clip) => file.clips[clip].bounds,
            None => Bounds {
                box_min: file.extent.rest_box_min,
                box_max: file.extent.rest_box_max,
                ..Bounds::default()
            },
        }
    }

    /// Whether the clip goes so far that the camera has to go with it.
    fn is_followed(&self, file: &AnimFile<'_>) -> bool {
        let bounds = self.bounds(file);
        let longest = (0..3).map(|i| bounds.box_max[i] - bounds.box_min[i]).fold(0.0, f32::max);
        has_vertices(file) && longest > file.extent.model_size_metres * FOLLOWED
    }

    fn header(&self, file: &AnimFile<'_>) -> String {
        if self.is_followed(file) {
            return format!("{}   the camera follows", self.what(file));
        }
        let spacing = text::short(f64::from(grid_spacing(&self.bounds(file))));
        format!("{}   grid {spacing} m", self.what(file))
    }

    fn what(&self, file: &AnimFile<'_>) -> String {
        match self.clip {
            None => "rest pose".into(),
            Some(index) => {
                let clip = &file.clips[index];
                let duration = text::short(f64::from(clip.duration_seconds));
                format!("{index} {}   {duration} s {}", clip.name, mode_name(clip.mode))
            }
        }
    }
}

impl Layout {
    fn of(clips: usize, options: &SheetOptions) -> Self {
        let (columns, frames, cell) = match clips {
            0..=12 => (1, 6, 192),
            13..=36 => (2, 4, 160),
            _ => (3, 4, 112),
        };
        let frames = options.frames.unwrap_or(frames);
        // The user's numbers may make a row wide: then there is one column.
        let columns = if options.frames.is_some() || options.cell.is_some() { 1 } else { columns };
        Self { columns, frames, cell: options.cell.unwrap_or(cell) }
    }

    const fn block_width(&self) -> u32 {
        self.frames * (self.cell + GAP)
    }

    const fn block_height(&self) -> u32 {
        HEADER + self.cell + GAP
    }

    fn rows(&self, clips: usize) -> u32 {
        u32::try_from(clips.div_ceil(self.columns)).expect("at most CLIPS_MAX")
    }

    fn paper(&self, clips: usize) -> RgbImage {
        let columns = u32::try_from(self.columns).expect("a small number");
        let width = GAP + columns * (self.block_width() + GAP);
        RgbImage::from_pixel(width, TITLE + self.rows(clips) * self.block_height(), Rgb(PAPER))
    }

    /// Clips run down the columns.
    fn place(&self, number: usize, clips: usize) -> (u32, u32) {
        let number = u32::try_from(number).expect("at most CLIPS_MAX");
        let (column, row) = (number / self.rows(clips).max(1), number % self.rows(clips).max(1));
        (GAP + column * (self.block_width() + GAP), TITLE + row * self.block_height())
    }
}
