//! The page: what the file is, what was checked, and for each page set its figures, its clips and its plots.

use anim_format::AnimFile;
use anim_format::model::Accuracy;

use super::bars::{self, Bar};
use super::curves::Curves;
use super::escape::{escape, name, plain_name};
use super::number::{bytes, kibibytes_tick, length, percent, percent_tick};
use super::style::STYLE;
use super::{MAGIC, by_node, over_time, size_plot, table};
use crate::inspect::{clip_accuracy, facts};
use crate::tables::{content_name, encoding_name};
use crate::text::count;

/// What a page shows.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    /// Name of the file.
    pub(crate) name: String,
    pub(crate) length_bytes: u64,
    pub(crate) file: &'a AnimFile<'a>,
    /// By page set.
    pub(crate) accuracy: &'a [Accuracy],
    /// The figures were measured just now, and are not those that the file states.
    pub(crate) measured: bool,
    /// How each check ended, which one, and what was found.
    pub(crate) checks: Vec<(&'static str, &'static str, String)>,
    /// Only with the source.
    pub(crate) curves: Option<&'a Curves>,
}

/// Clips or nodes of a bar chart.
const BARS: usize = 60;

impl Page<'_> {
    /// The page as HTML, which is XML, too.
    pub(crate) fn to_html(&self) -> String {
        let mut html = format!(
            "{MAGIC}\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n\
             <title>Accuracy of {}</title>\n<style>{STYLE}</style></head><body>\n",
            plain_name(&self.name)
        );
        html.push_str(&self.head());
        if !self.checks.is_empty() {
            html.push_str(&self.checks());
        }
        if self.accuracy.is_empty() {
            html.push_str("<p>The file states no accuracy.</p>\n");
        }
        for (set, report) in self.accuracy.iter().enumerate().take(self.file.page_sets.len()) {
            html.push_str(&self.page_set(set, report));
        }
        match self.curves {
            Some(curves) => {
                let size = self.accuracy.first().map_or(0.0, |report| report.model_size_metres);
                html.push_str("<section><h2>Size against error</h2>\n");
                html.push_str(&size_plot::plot(&curves.trade_off, size));
                html.push_str("</section>\n");
            }
            None => html.push_str(
                "<p class=\"note\">Plots of the error over time, by node, and against size need the model that the file \
                 was made from: <code>anim verify FILE --source MODEL --html OUT</code></p>\n",
            ),
        }
        html.push_str("</body></html>\n");
        html
    }

    fn head(&self) -> String {
        let file = self.file;
        let sets: Vec<&str> = file.page_sets.iter().map(|set| encoding_name(set.encoding)).collect();
        let facts = [
            bytes(self.length_bytes),
            count(file.clips.len(), "clip"),
            count(file.nodes.len(), "node"),
            count(file.bones.len(), "bone"),
            format!("model size {}", length(f64::from(file.extent.model_size_metres))),
            format!("stored as {}", sets.join(" and ")),
        ];
        let how = if self.measured { "measured against the source" } else { "as the file states it" };
        format!(
            "<h1>{}</h1>\n<p class=\"lead\">{}</p>\n<p>How far playback is from the source, {how}: the distance between \
             a vertex as the file plays it and the same vertex as the source has it.</p>\n",
            name(&self.name),
            escape(&facts.join(", "))
        )
    }

    fn checks(&self) -> String {
        let mut html =
            String::from("<section><h2>Checks</h2>\n<div class=\"scroll\"><table class=\"facts\"><tbody>\n");
        for (result, id, detail) in &self.checks {
            let class = if *result == "failed" { " class=\"failed\"" } else { "" };
            let (id, detail) = (escape(id), plain_name(detail));
            html.push_str(&format!(
                "<tr><th>{id}</th><td{class}><b>{result}</b></td><td>{detail}</td></tr>\n"
            ));
        }
        html.push_str("</tbody></table></div></section>\n");
        html
    }

    fn page_set(&self, set: usize, report: &Accuracy) -> String {
        let shape = &self.file.page_sets[set];
        let (content, encoding) = (content_name(shape.content), encoding_name(shape.encoding));
        let number = if self.accuracy.len() > 1 { format!("Page set {set}: ") } else { String::new() };
        let mut html = format!("<section><h2>{number}{content}, {encoding}</h2>\n");
        html.push_str(&table::facts(facts(self.file, report)));
        html.push_str("<h3>Clips</h3>\n");
        html.push_str(&table::clips(self.file, set, report, self.curves.is_some()));
        match self.curves.and_then(|curves| curves.profiles.get(set)) {
            Some(profiles) => {
                html.push_str("<h3>Error over time, of model size</h3>\n");
                html.push_str(&over_time::plots(self.file, set, report, profiles));
                html.push_str("<h3>Error by node</h3>\n");
                html.push_str(&by_node::chart(self.file, report, profiles));
            }
            None => html.push_str(&self.clip_bars(set, report)),
        }
        html.push_str("</section>\n");
        html
    }

    /// Bytes and errors of the clips.
    fn clip_bars(&self, set: usize, report: &Accuracy) -> String {
        let rows = clip_accuracy::rows(self.file, set, report);
        let size = report.model_size_metres;
        let clip_name = |clip: usize| self.file.clips[clip].name.to_string();
        let by_bytes = rows.iter().map(|row| Bar {
            name: clip_name(row.clip),
            #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
            value: row.bytes as f64 / 1024.0,
            text: bytes(row.bytes),
            more: String::new(),
        });
        let by_bytes = bars::chart("Bytes by clip", by_bytes.collect(), BARS, kibibytes_tick);
        let measured = |clip: usize| report.clips.get(clip).filter(|figures| figures.samples > 0);
        let by_error = rows.iter().filter_map(|row| {
            let metres = measured(row.clip).filter(|_| size > 0.0)?.max_metres;
            let text = percent(metres / size);
            let more = format!(", {}", length(metres));
            Some(Bar { name: clip_name(row.clip), value: metres / size, text, more })
        });
        let by_error = bars::chart("Largest error by clip", by_error.collect(), BARS, percent_tick);
        let largest = if rows.len() > BARS { format!(" (the {BARS} largest)") } else { String::new() };
        let mut html = String::from("<div class=\"pair\">");
        for (title, chart) in
            [("Bytes by clip", by_bytes), ("Largest error by clip, of model size", by_error)]
        {
            if !chart.is_empty() {
                html.push_str(&format!("<section><h3>{title}{largest}</h3>{chart}</section>\n"));
            }
        }
        html.push_str("</div>\n");
        html
    }
}
