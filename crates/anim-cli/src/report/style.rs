//! How a page looks, in the light and in the dark. Colours are told apart by people who see few, and by their marks.

/// The only style sheet.
pub(super) const STYLE: &str = "
:root { color-scheme: light dark; --back: #ffffff; --ink: #1c2024; --soft: #5a6470; --rule: #d9dee3; --faint: #eceff2;
  --blue: #0072b2; --orange: #b35900; --green: #00805e; --purple: #a8458a; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14171a; --ink: #e8ebee; --soft: #9aa5b1; --rule: #343b42; --faint: #22272c;
    --blue: #56b4e9; --orange: #f0a030; --green: #2fc79b; --purple: #e08cc4; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 20px 24px 60px; background: var(--back); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 36px 0 8px; padding-top: 12px; border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 24px 0 6px; }
p { margin: 6px 0; max-width: 80ch; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--soft); text-underline-offset: 3px; }
.note, .lead { color: var(--soft); }
.note { font-size: .88rem; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: 4px 8px; border-bottom: 1px solid var(--faint); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; border-bottom-color: var(--rule); vertical-align: bottom; }
td.name { max-width: 34ch; overflow: hidden; text-overflow: ellipsis; }
.right { text-align: right; }
table.facts th { border-bottom-color: var(--faint); vertical-align: top; }
table.facts td { white-space: normal; overflow-wrap: anywhere; }
table.facts b { white-space: nowrap; font-weight: inherit; }
table.clips tbody tr:hover { background: var(--faint); }
.facts .failed { color: var(--bad); font-weight: 700; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0; padding: 0; font-size: .85rem; }
.legend li { display: flex; align-items: center; gap: 6px; }
.key { width: 26px; height: 12px; flex: none; }
.key.square { width: 14px; height: 14px; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(270px, 100%), 1fr)); gap: 14px 18px; }
.pair { display: flex; flex-wrap: wrap; gap: 12px 40px; }
.pair > section { flex: 1 1 340px; max-width: 560px; min-width: 0; }
figure { margin: 0; min-width: 0; }
figure:target { outline: 2px solid var(--blue); outline-offset: 4px; }
figcaption { font-size: .85rem; font-weight: 600; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
svg { display: block; }
svg.small, svg.bars { width: 100%; height: auto; }
svg.small { max-width: 420px; }
svg.bars { max-width: 560px; }
svg.large { width: 100%; min-width: 620px; max-width: 980px; height: auto; }
svg text { fill: var(--ink); font-size: 12px; }
svg .tick { fill: var(--soft); font-size: 10px; }
svg.large .tick, svg .title { fill: var(--soft); font-size: 11.5px; }
svg .label { font-weight: 600; paint-order: stroke; stroke: var(--back); stroke-width: 3px; stroke-linejoin: round; }
svg .value { font-size: 11px; }
svg .start { text-anchor: start; }
svg .middle { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .name { unicode-bidi: isolate; }
line.grid { stroke: var(--faint); }
line.axis { stroke: var(--soft); }
rect.bar { fill: var(--blue); }
rect.bar:hover { fill: var(--orange); }
path.played { fill: none; stroke: var(--blue); stroke-width: 1.8; stroke-linejoin: round; }
path.under { fill: var(--blue); opacity: .14; }
path.matrices { fill: none; stroke: var(--orange); stroke-width: 1; stroke-linejoin: round; }
.peak { fill: var(--blue); stroke: var(--back); stroke-width: 1; }
.line { fill: none; stroke-width: 1.6; }
.local8 { stroke: var(--blue); fill: var(--blue); }
.local32 { stroke: var(--green); fill: var(--green); }
.affine16 { stroke: var(--orange); fill: var(--orange); }
.affine32 { stroke: var(--purple); fill: var(--purple); }
.plain { stroke: var(--soft); fill: var(--soft); }
path.line.local8, path.line.local32, path.line.affine16, path.line.affine32 { fill: none; }
.own { stroke: var(--back); stroke-width: 1; }
.fixed { fill: var(--back); stroke-width: 1.5; }
.chosen { fill: none; stroke: var(--ink); stroke-width: 2; pointer-events: all; }
.rival { fill: var(--ink); stroke: var(--back); stroke-width: 1; }
svg text.label.local8, svg text.label.local32, svg text.label.affine16, svg text.label.affine32 { stroke: var(--back); }
svg text.label.local8 { fill: var(--blue); }
svg text.label.local32 { fill: var(--green); }
svg text.label.affine16 { fill: var(--orange); }
svg text.label.affine32 { fill: var(--purple); }
@media (max-width: 560px) { body { padding: 14px 12px 40px; } }
@media print { figure, section { break-inside: avoid; } }
";
