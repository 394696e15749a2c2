// How the page looks, in light and dark: colours are variables, shared by text and pictures.
#pragma once

namespace pappus::report {

/// CSS without characters that XML or HTML would take for theirs.
inline constexpr const char* page_style = R"(
:root { color-scheme: light dark;
  --back: #ffffff; --card: #f6f8fa; --text: #1f2328; --faint: #59636e; --line: #d1d9e0;
  --stage: #ffffff; --file: #eef6ff; --device: #f5efff; --there: #f6f8fa; --idle: #eef1f4;
  --accent: #0969da; --warm: #9a6700; --bar: #4c8dda; --bad: #cf222e;
  --c0: #4c8dda; --c1: #e28c41; --c2: #4aa56a; --c3: #a475d8; --c4: #d9576c; --c5: #3fa8b5;
  --c6: #b09a2f; --c7: #d874b2; --c8: #a3adb8; }
@media (prefers-color-scheme: dark) { :root {
  --back: #0d1117; --card: #151b23; --text: #e6edf3; --faint: #9198a1; --line: #30363d;
  --stage: #151b23; --file: #13233a; --device: #231a36; --there: #11161d; --idle: #191f28;
  --accent: #58a6ff; --warm: #d9a441; --bar: #4c8dda; --bad: #f85149; --c8: #69737e; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 32px 28px 64px; max-width: 1096px; background: var(--back);
  color: var(--text); font: 15px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 26px; margin: 0; } h2 { font-size: 20px; margin: 44px 0 10px; }
p { margin: 6px 0; } .sub { color: var(--faint); }
code, .mono { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: 13px; }
a { color: var(--accent); }
.tiles { display: flex; flex-wrap: wrap; gap: 12px; margin: 22px 0 0; padding: 0; }
.tile { flex: 1 1 150px; background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; padding: 10px 14px; }
.tile b { display: block; font-size: 21px; font-weight: 600; }
.tile span { color: var(--faint); font-size: 13px; }
.advice { margin: 0; padding: 0; list-style: none; }
.advice li { border-left: 3px solid var(--warm); background: var(--card);
  border-radius: 0 6px 6px 0; margin: 8px 0; padding: 8px 14px; overflow-wrap: anywhere; }
.advice .fault { border-left-color: var(--bad); }
.advice span { color: var(--faint); }
details { border: 1px solid var(--line); border-radius: 8px; margin: 12px 0; padding: 0 16px; }
summary { cursor: pointer; padding: 10px 0; overflow-wrap: anywhere; }
summary b { font-weight: 600; } summary span { color: var(--faint); }
.scroll { overflow-x: auto; }
svg { display: block; max-width: 100%; height: auto; margin: 8px 0; }
table { border-collapse: collapse; width: 100%; margin: 8px 0 16px; font-size: 13px;
  font-variant-numeric: tabular-nums; }
th, td { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; white-space: nowrap; }
th { color: var(--faint); font-weight: 500; }
th:first-child, td:first-child { text-align: left; white-space: normal;
  overflow-wrap: anywhere; min-width: 190px; }
.noted td { border-bottom: none; padding-bottom: 0; }
.notes td { color: var(--faint); font-size: 12px; padding-top: 0; }
svg text { font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  fill: var(--text); white-space: pre; }
svg path { fill: none; } svg .title { font-weight: 600; }
svg .faint, svg .place { fill: var(--faint); }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
.stage { fill: var(--stage); stroke: var(--line); } .stage.file { fill: var(--file); }
.stage.device { fill: var(--device); } .stage.there { fill: var(--there); stroke-dasharray: 4 3; }
svg .edge { stroke: var(--faint); stroke-width: 1.3; } svg .side { stroke-dasharray: 4 3; }
svg .head { fill: var(--faint); }
svg .bar { fill: var(--bar); } svg .mark { stroke: var(--warm); stroke-width: 2; }
.idle { fill: var(--idle); } svg .grid { stroke: var(--line); }
svg .c0 { fill: var(--c0); } svg .c1 { fill: var(--c1); } svg .c2 { fill: var(--c2); }
svg .c3 { fill: var(--c3); } svg .c4 { fill: var(--c4); } svg .c5 { fill: var(--c5); }
svg .c6 { fill: var(--c6); } svg .c7 { fill: var(--c7); } svg .c8 { fill: var(--c8); }
svg .line { stroke-width: 1.8; } svg .use { stroke: var(--c0); }
svg .held { stroke: var(--c2); stroke-dasharray: 5 3; } svg .spilled { stroke: var(--c4); }
svg .budget { stroke: var(--warm); stroke-dasharray: 2 3; }
svg .area { fill: var(--c0); stroke: none; opacity: 0.18; }
)";

}  // namespace pappus::report
