// The page of `xray --html`: markup, style and script. Its data stands in a script element of type application/json.
#pragma once

namespace warpath::cli {

inline constexpr const char* xray_page_head = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>xray</title>
<style>
:root { color-scheme: light dark; --bg: #fcfcfb; --ink: #1b1b1a; --dim: #6a6a66; --line: #dcdcd6; --card: #fff; --hot: 214, 69, 36; --cool: #2f6fb0;
  --pick: #fff3c4; --ok: #3b8a4e; --bad: #c8401f; --lane: #2f6fb0; --seg: #e9e9e4; }
@media (prefers-color-scheme: dark) { :root { --bg: #161615; --ink: #ecebe6; --dim: #9b9a93; --line: #34342f; --card: #1f1f1d;
  --hot: 232, 96, 60; --cool: #6aa9e4; --pick: #4a4220; --ok: #74c487; --bad: #f0805e; --lane: #6aa9e4; --seg: #2b2b28; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }
main { max-width: 1500px; margin: 0 auto; padding: 16px; }
h1 { font-size: 1.5rem; margin: 0 0 2px; } h2 { font-size: 1.05rem; margin: 0 0 8px; }
a { color: var(--cool); } .sub { color: var(--dim); margin: 0 0 12px; }
ol { margin: 0 0 16px; padding-left: 1.4em; } ol li { margin: 4px 0; } ol button { font: inherit; color: var(--cool); background: none; border: 0;
  padding: 0; text-align: left; vertical-align: top; cursor: pointer; text-decoration: underline; }
.cols { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 16px; align-items: start; }
@media (max-width: 1000px) { .cols { grid-template-columns: minmax(0, 1fr); } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 12px; margin-bottom: 16px; overflow: hidden; }
.source { overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; }
.source table { border-collapse: collapse; min-width: 100%; }
.source td { white-space: pre; padding: 0 8px; vertical-align: top; }
.source td.n { color: var(--dim); text-align: right; user-select: none; }
.source td.g { text-align: right; color: var(--dim); }
.source tr.has { cursor: pointer; } .source tr.has:hover td { outline: 1px solid var(--line); }
.source tr.on td { background: var(--pick) !important; }
.source tr:focus-visible { outline: 2px solid var(--cool); outline-offset: -2px; }
#picture, #timeline, #roof { overflow-x: auto; } svg { display: block; width: 100%; min-width: 560px; height: auto; } svg text { fill: var(--ink); font: 11px system-ui, sans-serif; } svg .d { fill: var(--dim); } svg text.d { paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.row { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: center; margin: 8px 0; }
.row label { color: var(--dim); } input[type=range] { width: 220px; max-width: 100%; } select { font: inherit; max-width: 100%; }
table.t { border-collapse: collapse; font-size: 13px; } .scroll { overflow-x: auto; }
table.t th, table.t td { text-align: right; padding: 3px 10px; border-bottom: 1px solid var(--line); white-space: nowrap; }
table.t th:first-child, table.t td:first-child, table.t th:nth-child(2), table.t td:nth-child(2) { text-align: left; }
.bad, .source td.g.bad { color: var(--bad); font-weight: 600; } .note { color: var(--dim); font-size: 14px; }
@media (max-width: 500px) { main { padding: 8px; } .card { padding: 8px; } .source { font-size: 11px; } .source td { padding: 0 4px; } }
</style>
</head>
<body>
<main>
<h1 id="title"></h1><p class="sub" id="sub"></p>
<p id="left"></p>
<ol id="waste"></ol>
<p class="note" id="next"></p>
<div class="row" id="pick"></div>
<div class="cols">
<div>
<section class="card"><h2>The source</h2><div class="source" id="source"></div>
<p class="note">ld, st: sectors of global memory per request; lds, sts: wavefronts of shared memory per request; ldl, stl: sectors of local memory; ldc: addresses of constant memory; bar: barriers of each thread; split: how often a warp's lanes go on apart. Click a line, or walk with the arrow keys.</p></section>
</div>
<div>
<section class="card"><h2 id="linehead">One warp at a line</h2><p class="note" id="linenote">Choose a line.</p>
<div class="row"><label for="which">access</label><select id="which"></select></div>
<div class="row"><label for="slide">warp and iteration</label><input type="range" id="slide" min="0" max="0" value="0"><span id="slidetext" class="note"></span></div>
<div id="picture"></div></section>
<section class="card"><h2>The warps of a block between barriers</h2><div id="timeline"></div></section>
<section class="card"><h2>Roofline</h2><div id="roof"></div></section>
</div>
</div>
<section class="card"><h2>All accesses</h2><div class="scroll"><table class="t" id="all"></table></div></section>
</main>
)html";

inline constexpr const char* xray_page_script = R"html(<script>
"use strict";
const D = JSON.parse(document.getElementById("data").textContent);
const P = D.parts[0];
const $ = id => document.getElementById(id);
const el = (name, attrs = {}, text) => { const e = document.createElement(name); for (const k in attrs) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text; return e; };
const NS = "http://www.w3.org/2000/svg";
const svg = (name, attrs = {}, text) => { const e = document.createElementNS(NS, name); for (const k in attrs) e.setAttribute(k, attrs[k]);
  if (text !== undefined) e.textContent = text; return e; };
const short = n => n < 10000 ? String(Math.round(n * 10) / 10) : n < 1e6 ? Math.round(n / 1e3) + "k" : n < 1e9 ? (n / 1e6).toFixed(1) + "M" : (n / 1e9).toFixed(1) + "G";
const bytes = n => { const u = ["B", "KiB", "MiB", "GiB"]; let i = 0; while (n >= 1024 && i < 3) { n /= 1024; ++i; } return (n < 10 && i ? n.toFixed(1) : Math.round(n)) + " " + u[i]; };
let L = P.launches[0], chosen = null;
const short_name = a => a.space === "constant" ? "ldc" : a.space === "local" ? (a.kind === "load" ? "ldl" : "stl") : a.space === "shared" ? (a.kind === "load" ? "lds" : a.kind === "store" ? "sts" : "atoms") : a.kind === "atomic" ? "red" : a.kind.startsWith("bulk") ? "bulk" : a.kind.endsWith("load") ? "ld" : "st";
const words = a => `${a.space} ${a.kind.replace("_", " ")} of ${a.bytes} bytes per lane`;

$("title").textContent = P.title; document.title = "xray: " + P.title;
$("sub").textContent = (P.test ? P.test + ". " : "") + "Counted on a CPU: exact numbers of requests, sectors and wavefronts, no times.";
for (const w of P.waste.slice(0, 3)) {
  const li = el("li"), is_shown = P.files.some(f => f.name === w.file && w.line >= f.first && w.line < f.first + f.text.length);
  const b = is_shown ? el("button", {type: "button", "data-k": w.file + ":" + w.line}, w.sentence) : el("span", {}, w.sentence);
  if (is_shown) b.onclick = () => { const mine = P.launches.filter(l => l.kernel === w.kernel), l = mine.find(l => l.accesses.some(a => a.file === w.file && a.line === w.line)) || mine[0];
    if (l && l !== L) show(l); pick(w.file, w.line, true); };
  const note = el("span", {class: "note"}, ` ${w.bytes > 0 ? bytes(w.bytes) + " in vain. " : ""}[${w.kind}: `);
  note.append(w.address ? el("a", {href: w.address}, w.lesson) : w.lesson, "]"); li.append(b, note); $("waste").append(li);
}
if (!P.waste.length) $("waste").remove();
for (const id of ["left", "next"]) if (P[id]) $(id).textContent = P[id]; else $(id).remove();

if (P.launches.length > 1) {
  const s = el("select", {"aria-label": "kernel"});
  P.launches.forEach((l, i) => s.append(el("option", {value: i}, `${l.kernel} <<<${l.grid.join("x")}, ${l.block.join("x")}>>>`)));
  s.id = "kernel"; s.onchange = () => show(P.launches[s.value]); $("pick").append(el("label", {for: "kernel"}, "kernel"), s);
}

function source() {
  const box = $("source"); box.textContent = "";
  const by = {}; let top = 0;
  for (const a of L.accesses) { const k = a.file + ":" + a.line; (by[k] = by[k] || []).push(a); }
  const heat = k => (by[k] || []).reduce((s, a) => s + (a.space === "shared" ? a.wavefronts * 4 : a.space === "constant" ? a.addresses : a.sectors), 0);
  for (const k in by) top = Math.max(top, heat(k));
  const bars = {}; for (const b of L.barriers) bars[b.file + ":" + b.line] = b.times / Math.max(1, L.blocks_counted);
  const splits = {}; for (const c of L.splits) splits[c.file + ":" + c.line] = c.share;
  const said = new Set(P.waste.filter(w => w.kernel === L.kernel).map(w => w.file + ":" + w.line));
  for (const f of P.files) {
    const is_marked = n => { const k = f.name + ":" + n; return by[k] || bars[k] || splits[k] || said.has(k); };
    if (!f.text.some((_, i) => is_marked(f.first + i))) continue;
    if (P.files.length > 1) box.append(el("div", {class: "note"}, f.short));
    const t = el("table"); box.append(t);
    f.text.forEach((text, i) => {
      const n = f.first + i, k = f.name + ":" + n, here = by[k], tr = el("tr", is_marked(n) ? {class: "has", tabindex: 0, "data-k": k} : {"data-k": k});
      const marks = []; for (const a of here || []) { const m = `${short_name(a)} ${a.bulk ? "" : Math.round(a.cost * 10) / 10}`; if (!marks.includes(m)) marks.push(m); }
      if (bars[k]) marks.push("bar " + short(bars[k]));
      if (splits[k]) marks.push(`split ${Math.round(100 * splits[k])}%`);
      const g = el("td", {class: "g"}, marks.join("  ")), td = el("td", {}, text);
      if (here && here.some(a => a.cost > 1.15 * Math.max(1, a.least))) g.classList.add("bad");
      if (here && top) td.style.background = `rgba(var(--hot), ${0.05 + 0.4 * heat(k) / top})`;
      tr.append(g, el("td", {class: "n"}, n), td); t.append(tr);
      tr.onclick = () => pick(f.name, n);
      if (is_marked(n)) { tr.onkeydown = e => {
        const all = [...document.querySelectorAll("tr.has")], at = all.indexOf(tr);
        if (e.key === "ArrowDown" && all[at + 1]) { all[at + 1].focus(); all[at + 1].click(); e.preventDefault(); }
        else if (e.key === "ArrowUp" && all[at - 1]) { all[at - 1].focus(); all[at - 1].click(); e.preventDefault(); }
        else if (e.key === "Enter" || e.key === " ") { tr.click(); e.preventDefault(); } }; }
    });
  }
}

function pick(file, line, scroll) {
  const list = L.accesses.filter(a => a.file === file && a.line === line);
  document.querySelectorAll("tr.on").forEach(r => r.classList.remove("on"));
  const row = document.querySelector(`tr[data-k="${CSS.escape(file + ":" + line)}"]`);
  if (row) { row.classList.add("on"); if (scroll) row.scrollIntoView({block: "center"}); }
  const s = $("which"); s.textContent = "";
  $("linehead").textContent = list.length ? `One warp at line ${line}` : `Line ${line}`;
  if (!list.length) {
    chosen = null; s.onchange = null; $("slide").max = 0; $("slide").oninput = null; $("slidetext").textContent = $("picture").textContent = "";
    const told = row ? row.firstChild.textContent : ""; $("linenote").textContent = `No access to memory${told ? "; " + told : ""}.`; return;
  }
  list.forEach((a, i) => s.append(el("option", {value: i}, words(a) + (a.inside ? ` (in ${a.inside})` : ""))));
  let worst = 0; list.forEach((a, i) => { if (a.cost / Math.max(1, a.least) > list[worst].cost / Math.max(1, list[worst].least)) worst = i; });
  s.value = worst; s.onchange = () => access(list[s.value]); access(list[worst]);
}

function access(a) {
  chosen = a;
  const unit = a.space === "shared" ? "wavefronts" : a.space === "constant" ? "addresses" : "sectors";
  $("linenote").textContent = `${short(a.requests)} requests, ${short(a[unit])} ${unit}: ${a.cost.toFixed(1)} per request, at least ${Math.max(a.least, 0).toFixed(1)}; ${a.lanes.toFixed(1)} lanes active` + (a.stride !== null ? `; ${a.stride} bytes from lane to lane` : "") + ".";
  const s = $("slide"); s.max = Math.max(0, a.samples.length - 1); s.value = 0; s.oninput = draw; draw();
}

function draw() {
  const a = chosen, box = $("picture"); box.textContent = "";
  const x = a.samples[$("slide").value]; if (!x) { $("slidetext").textContent = ""; box.append(el("p", {class: "note"}, "TMA moves this, no warp does.")); return; }
  $("slidetext").textContent = `block ${x.block}, warp ${x.warp}, request ${x.iteration + 1} at this line`;
  const lanes = []; let k = 0; for (let i = 0; i < 32; ++i) lanes.push(x.mask >>> i & 1 ? x.offsets[k++] : null);
  box.append(a.space === "shared" ? banks(a, lanes) : a.array ? addresses(a, lanes) : sectors(a, lanes));
}

const laneX = i => 24 + i * 19;
function laneRow(s, lanes) {
  s.append(svg("text", {x: 4, y: 12, class: "d"}, "lanes of the warp"));
  for (let i = 0; i < 32; ++i) { s.append(svg("rect", {x: laneX(i) - 8, y: 18, width: 16, height: 16, rx: 2, fill: lanes[i] === null ? "none" : "var(--lane)", stroke: "var(--lane)"}));
    s.append(svg("text", {x: laneX(i), y: 30, "text-anchor": "middle", style: lanes[i] === null ? "" : "fill:var(--card);font-size:9px"}, i)); }
}

function sectors(a, lanes) {
  const used = new Map(); lanes.forEach((o, i) => { if (o === null) return; for (let s = Math.floor(o / 32); s <= Math.floor((o + a.bytes - 1) / 32); ++s) { if (!used.has(s)) used.set(s, []); used.get(s).push(i); } });
  const list = [...used.keys()].sort((p, q) => p - q), n = list.length, cols = Math.min(n, 32), w = 608 / Math.max(cols, 8), rows = Math.ceil(n / cols);
  const h = 150 + rows * 46, s = svg("svg", {viewBox: `0 0 640 ${h}`, role: "img", "aria-label": `${n} sectors are touched`}); laneRow(s, lanes);
  const at = m => { const i = list.indexOf(m); return [16 + i % cols * w + w / 2, 120 + Math.floor(i / cols) * 46]; };
  lanes.forEach((o, i) => { if (o === null) return; const [x, y] = at(Math.floor(o / 32)); s.append(svg("line", {x1: laneX(i), y1: 34, x2: x - w / 2 + 1 + (o % 32 + a.bytes / 2) / 32 * (w - 2), y2: y, stroke: "var(--lane)", "stroke-width": 1, opacity: 0.55})); });
  list.forEach((m, i) => { const [x, y] = at(m), gap = i > 0 && list[i - 1] !== m - 1;
    s.append(svg("rect", {x: x - w / 2 + 1, y, width: w - 2, height: 18, fill: "var(--seg)", stroke: "var(--dim)"}));
    const mine = new Set(); for (const l of used.get(m)) for (let b = 0; b < a.bytes; ++b) { const q = lanes[l] + b - m * 32; if (q >= 0 && q < 32) mine.add(q); }
    for (const q of mine) s.append(svg("rect", {x: x - w / 2 + 1 + q / 32 * (w - 2), y: y + 1, width: (w - 2) / 32 + 0.2, height: 16, fill: "var(--ok)"}));
    if (gap) s.append(svg("line", {x1: x - w / 2, y1: y - 4, x2: x - w / 2, y2: y + 22, stroke: "var(--bad)", "stroke-width": 2})); });
  s.append(svg("text", {x: 16, y: h - 26, class: "d"}, "sectors of 32 bytes; green: bytes that are used; red: addresses are not neighbours"));
  const asked = new Set(); lanes.forEach(o => { if (o !== null) for (let b = 0; b < a.bytes; ++b) asked.add(o + b); });
  s.append(svg("text", {x: 16, y: h - 8}, `${n} sectors move ${n * 32} bytes, ${asked.size} are used; ${Math.ceil(asked.size / 32)} sectors would do`));
  return s;
}

// Constant memory serves one address at a time; a local array that lanes index differently is in memory.
function addresses(a, lanes) {
  const used = new Map(); lanes.forEach((o, i) => { if (o === null) return; if (!used.has(o)) used.set(o, []); used.get(o).push(i); });
  const list = [...used.keys()].sort((p, q) => p - q), n = list.length, w = 608 / Math.max(n, 8), s = svg("svg", {viewBox: "0 0 640 176", role: "img", "aria-label": `${n} different addresses`}); laneRow(s, lanes);
  const x = i => 16 + i * w + w / 2;
  lanes.forEach((o, i) => { if (o !== null) s.append(svg("line", {x1: laneX(i), y1: 34, x2: x(list.indexOf(o)), y2: 120, stroke: "var(--lane)", "stroke-width": 1, opacity: 0.55})); });
  list.forEach((o, i) => { s.append(svg("rect", {x: x(i) - w / 2 + 1, y: 120, width: w - 2, height: 18, fill: i ? "var(--bad)" : "var(--ok)", stroke: "var(--dim)"}));
    if (w > 17) s.append(svg("text", {x: x(i), y: 133, "text-anchor": "middle", style: "fill:var(--card);font-size:9px"}, o / a.bytes)); });
  s.append(svg("text", {x: 16, y: 152, class: "d"}, `elements of ${a.array}`));
  s.append(svg("text", {x: 16, y: 168}, a.space === "constant" ? `${n} addresses: constant memory serves them one after the other` : `${n} elements in local memory: a register cannot be indexed`));
  return s;
}

function banks(a, lanes) {
  const by = Array.from({length: 32}, () => new Map()); lanes.forEach((o, i) => { if (o === null) return; for (let b = 0; b < Math.max(1, a.bytes / 4); ++b) { const word = Math.floor(o / 4) + b, m = by[word % 32]; if (!m.has(word)) m.set(word, []); m.get(word).push(i); } });
  const deep = Math.max(1, ...by.map(m => m.size)), h = 166 + deep * 17, s = svg("svg", {viewBox: `0 0 640 ${h}`, role: "img", "aria-label": `${deep} words in the fullest bank`}); laneRow(s, lanes);
  lanes.forEach((o, i) => { if (o === null) return; s.append(svg("line", {x1: laneX(i), y1: 34, x2: laneX(Math.floor(o / 4) % 32), y2: 100, stroke: "var(--lane)", "stroke-width": 1, opacity: 0.55})); });
  for (let b = 0; b < 32; ++b) { s.append(svg("rect", {x: laneX(b) - 8, y: 100, width: 16, height: 14, fill: "var(--seg)", stroke: "var(--dim)"})); s.append(svg("text", {x: laneX(b), y: 111, "text-anchor": "middle", style: "font-size:9px"}, b));
    [...by[b].entries()].forEach(([word, who], i) => { const r = svg("rect", {x: laneX(b) - 8, y: 118 + i * 17, width: 16, height: 14, rx: 2, fill: i === 0 ? "var(--ok)" : "var(--bad)"}); r.append(svg("title", {}, `word ${word}: lanes ${who.join(", ")}`)); s.append(r); s.append(svg("text", {x: laneX(b), y: 129 + i * 17, "text-anchor": "middle", style: "fill:var(--card);font-size:9px"}, who.length > 1 ? who.length + "x" : who[0])); }); }
  s.append(svg("text", {x: 4, y: h - 8, class: "d"}, "above: the 32 banks of shared memory, and the different words that are wanted from each"));
  s.append(svg("text", {x: 4, y: h - 24}, deep === 1 ? "one word per bank: one wavefront, no conflict" : `${deep} wavefronts: one for each word of the fullest bank`));
  return s;
}

function timeline() {
  const box = $("timeline"); box.textContent = ""; const T = L.timeline;
  if (!T.length) { box.append(el("p", {class: "note"}, "Nothing to show.")); return; }
  const warps = T[0].warps.length, widths = T.map(p => Math.max(1, ...p.warps)), total = widths.reduce((p, q) => p + q, 0), h = 34 + warps * 12 + 26;
  const s = svg("svg", {viewBox: `0 0 640 ${h}`, role: "img", "aria-label": "barriers of block 0"}); let x = 40, said = -40, uneven = false;
  for (let w = 0; w < warps; ++w) if (warps <= 16 || w % 4 === 0) s.append(svg("text", {x: 4, y: 31 + w * 12, class: "d"}, "w" + w));
  T.forEach((p, i) => { const pw = 590 * widths[i] / total, m = widths[i], least = Math.min(...p.warps), slow = p.warps.indexOf(m), waits = warps > 1 && least < 0.9 * m; uneven = uneven || waits;
    p.warps.forEach((n, w) => { const y = 22 + w * 12, bar = svg("rect", {x, y, width: Math.max(0.5, pw * n / m), height: 9, fill: waits && w === slow ? "var(--bad)" : "var(--lane)"});
      if (waits) bar.append(svg("title", {}, w === slow ? `the others wait for warp ${w}` : `warp ${w}: ${n} steps, then it waits for warp ${slow}`)); s.append(bar);
      if (n < m) s.append(svg("rect", {x: x + pw * n / m, y, width: pw * (m - n) / m, height: 9, fill: "var(--seg)"})); });
    x += pw; if (p.line) { const bar = svg("line", {x1: x, y1: 18, x2: x, y2: 24 + warps * 12, stroke: "var(--ink)", "stroke-width": 1.5}); bar.append(svg("title", {}, "barrier at line " + p.line)); s.append(bar);
      if (x - said > 32) { s.append(svg("text", {x, y: 13, "text-anchor": "middle", class: "d"}, "l. " + p.line)); said = x; } } });
  s.append(svg("text", {x: 4, y: h - 6, class: "d"}, "steps of the warps of block 0" + (uneven ? "; grey: waits at the barrier for the red one" : "; a line: a barrier"))); box.append(s);
}

function roof() {
  const box = $("roof"); box.textContent = ""; const g = D.gpu, points = [], mine = P.roof.tflops;
  for (const p of D.parts) { const moved = p.launches.reduce((s, l) => s + l.moved, 0), needed = p.launches.reduce((s, l) => s + l.needed, 0); if (p.flops > 0 && moved > 0) points.push({name: p.title, top: p.roof.tflops, moved: p.flops / moved, needed: p.flops / Math.max(1, needed)}); }
  if (!points.length) { const m = P.launches.reduce((s, l) => s + l.moved, 0), n = P.launches.reduce((s, l) => s + l.needed, 0);
    box.append(el("p", {class: "note"}, `${P.test ? "This op has no floating-point operations." : "The flops of a program are not counted."} It moves ${bytes(m)}; the sectors it touches are ${bytes(n)} (${(m / Math.max(1, n)).toFixed(1)}x).`)); return; }
  const lx = v => 56 + (Math.min(3, Math.max(-2, Math.log10(v))) + 2) / 5 * 564, at = (i, top) => Math.min(top, i * g.bandwidth / 1e3);
  const names = new Map([[g.fp32, "fp32"]]); for (const p of D.parts) if (!names.has(p.roof.tflops)) names.set(p.roof.tflops, p.roof.of); const tops = [...names.keys()], high = tops.length > 1 ? 3 : 2;
  const y = v => 220 - (Math.log10(Math.max(v, 1e-2)) + 2) / (high + 2.2) * 190, s = svg("svg", {viewBox: "0 0 640 262", role: "img", "aria-label": "roofline"});
  for (let e = -2; e <= high; ++e) { const v = Math.pow(10, e); s.append(svg("line", {x1: 56, y1: y(v), x2: 620, y2: y(v), stroke: "var(--line)"}), svg("text", {x: 50, y: y(v) + 4, "text-anchor": "end", class: "d"}, v)); }
  for (let e = -2; e <= 3; ++e) s.append(svg("text", {x: lx(Math.pow(10, e)), y: 236, "text-anchor": "middle", class: "d"}, Math.pow(10, e)));
  for (const top of tops) { let d = ""; for (let e = -2; e <= 3; e += 0.05) { const i = Math.pow(10, e); d += (d ? "L" : "M") + lx(i) + " " + y(at(i, top)); }
    s.append(svg("path", {d, fill: "none", stroke: "var(--ink)", "stroke-width": top === mine ? 2 : 1}), svg("text", {x: 620, y: y(top) - 4, "text-anchor": "end", class: "d"}, `${names.get(top)}: ${top}`)); }
  s.append(svg("text", {x: 4, y: 14, class: "d"}, "TFLOP/s"));
  s.append(svg("text", {x: 330, y: 254, "text-anchor": "middle", class: "d"}, `flops per byte; the roof is that of ${/^[AEFHILMNORSX]/.test(g.name) ? "an" : "a"} ${g.name}: ${g.bandwidth} GB/s, ${mine} TFLOP/s`));
  const colors = ["var(--bad)", "var(--lane)", "var(--ok)", "var(--dim)"];
  // The kernel itself last, above the others.
  points.map((p, i) => [p, i]).reverse().forEach(([p, i]) => { const c = colors[Math.min(i, 3)]; for (const [v, full] of [[p.moved, false], [p.needed, true]]) { const o = svg("circle", {cx: lx(v), cy: y(at(v, p.top)), r: i ? 7 : 5, fill: full ? c : "none", stroke: c, "stroke-width": 2}); o.append(svg("title", {}, `${p.name}: ${v.toPrecision(2)} flops per byte ${full ? "it touches" : "that passes L1"}`)); s.append(o); }
    s.append(svg("circle", {cx: 300, cy: 134 + i * 16, r: 5, fill: c}), svg("text", {x: 312, y: 138 + i * 16}, `${p.name}: ${p.moved.toPrecision(2)} moved, ${p.needed.toPrecision(2)} touched`)); });
  s.append(svg("text", {x: 294, y: 138 + points.length * 16, class: "d"}, "ring: by bytes that pass L1; dot: by different bytes")); box.append(s);
  if (P.bound_by) box.append(el("p", {class: "note"}, `By the bytes that it must move: ${P.bound_by}.`));
}

function all() {
  const t = $("all"); t.textContent = ""; const head = el("tr"); for (const h of ["line", "access", "requests", "sectors", "wavefronts", "per request", "least", "lanes"]) head.append(el("th", {}, h)); t.append(head);
  for (const a of L.accesses) { const tr = el("tr"), bad = a.cost > 1.15 * Math.max(1, a.least); [a.short + ":" + a.line, words(a), short(a.requests), a.space === "shared" || a.space === "constant" ? "" : short(a.sectors), a.space === "shared" ? short(a.wavefronts) : "", a.cost.toFixed(1), a.least.toFixed(1), a.lanes.toFixed(1)].forEach((v, i) => tr.append(el("td", bad && i === 5 ? {class: "bad"} : {}, v))); t.append(tr); }
}

function show(l) { L = l; if ($("kernel")) $("kernel").value = P.launches.indexOf(l); source(); timeline(); all(); const w = P.waste.find(w => w.kernel === l.kernel && l.accesses.some(a => a.file === w.file && a.line === w.line)), a = l.accesses[0]; if (w) pick(w.file, w.line); else if (a) pick(a.file, a.line); }
show(L); roof();
</script>
</body>
</html>
)html";

}  // namespace warpath::cli
