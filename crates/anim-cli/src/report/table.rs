//! The tables of a page: those of the text reports, with exact numbers as attributes.

use anim_format::model::{Accuracy, AnimFile};

use super::escape::{escape, name, plain_name};
use crate::inspect::clip_accuracy::{COLUMNS, NAMES, rows};

/// The clips of a page set. Numbers that are rounded to be read stand exactly in the attributes of their row. `has_plots`
/// makes names lead to the plots of their clips.
pub(super) fn clips(file: &AnimFile<'_>, set: usize, report: &Accuracy, has_plots: bool) -> String {
    let mut html = String::from("<div class=\"scroll\"><table class=\"clips\"><thead><tr>");
    for (column, title) in COLUMNS.iter().enumerate() {
        html.push_str(&format!("<th{}>{}</th>", class_of(column), escape(title)));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in rows(file, set, report) {
        let figures = report.clips.get(row.clip).filter(|figures| figures.samples > 0);
        let exact = figures.map_or_else(String::new, |figures| {
            format!(
                " data-max-metres=\"{}\" data-p999-metres=\"{}\" data-rms-metres=\"{}\" data-normal-degrees=\"{}\"",
                figures.max_metres, figures.p999_metres, figures.rms_metres, figures.normal_max_degrees
            )
        });
        html.push_str(&format!("<tr data-clip=\"{}\" data-bytes=\"{}\"{exact}>", row.clip, row.bytes));
        for (column, cell) in row.cells.iter().enumerate() {
            let text = match column {
                1 if has_plots => format!("<a href=\"#clip-{set}-{}\">{}</a>", row.clip, name(cell)),
                _ if NAMES.contains(&column) => name(cell),
                _ => escape(cell),
            };
            let title = match NAMES.contains(&column) {
                true => format!(" title=\"{}\"", plain_name(cell)),
                false => String::new(),
            };
            html.push_str(&format!("<td{}{title}>{text}</td>", class_of(column)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// Names and what they are.
pub(super) fn facts<'f>(facts: impl IntoIterator<Item = (&'f str, String)>) -> String {
    let mut html = String::from("<div class=\"scroll\"><table class=\"facts\"><tbody>\n");
    for (what, value) in facts {
        html.push_str(&format!("<tr><th>{}</th><td>{}</td></tr>\n", escape(what), plain_name(&value)));
    }
    html.push_str("</tbody></table></div>\n");
    html
}

fn class_of(column: usize) -> &'static str {
    if NAMES.contains(&column) { " class=\"name\"" } else { " class=\"right\"" }
}
