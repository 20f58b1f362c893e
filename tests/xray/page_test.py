#!/usr/bin/env python3
"""Opens a page of `xray --html` in headless Chromium: every line and sentence clicked, the keyboard, the slider, no errors.

page_test.py WARPATH ROOT
"""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlparse

# Runs in the page after its own script; the answer is read from the dumped document.
PROBE = """<script>
const opened = performance.now(), said = []; addEventListener("error", e => said.push(e.message));
const rows = [...document.querySelectorAll("tr.has")];
let pictures = 0;
for (const r of rows) { r.click(); for (const o of $("which").options) { $("which").value = o.value; $("which").onchange();
  for (let i = 0; i <= +$("slide").max; ++i) { $("slide").value = i; $("slide").oninput(); if (document.querySelector("#picture svg")) ++pictures; } } }
rows[0].focus(); rows[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
const moved = document.querySelector("tr.on") === rows[1];
// Each sentence selects its line, also one without an access; a click on any other row selects that.
const wrong = [], on = () => [...document.querySelectorAll("tr.on")].map(r => r.dataset.k).join();
const buttons = [...document.querySelectorAll("#waste button")];
for (const b of buttons) { b.click(); if (on() !== b.dataset.k) wrong.push(b.textContent + ": " + on()); }
for (const r of document.querySelectorAll("#source tr")) { r.click(); if (on() !== r.dataset.k) wrong.push(r.dataset.k); }
buttons.forEach(b => b.click());
const gutter = [...document.querySelectorAll("td.g")].map(t => t.textContent).join(" ");
document.body.dataset.probe = JSON.stringify({rows: rows.length, pictures, moved, timeline: !!document.querySelector("#timeline svg"),
  opened, wrong, sentences: buttons.length, splits: gutter.includes("split"), bars: gutter.includes("bar"),
  links: [...document.querySelectorAll("#waste a")].map(a => a.href), tops: document.querySelectorAll("#roof path").length, dark: getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).every(c => +c < 100),
  roof: !!document.querySelector("#roof svg"), red: new Set([...document.querySelectorAll("td.g.bad, td.g:not(.bad)")].map(t => getComputedStyle(t).color)).size, kernels: document.querySelectorAll("#roof svg circle").length / 3, slow: document.querySelectorAll("#timeline title").length > 0, wide: document.documentElement.scrollWidth > innerWidth + 1, errors: said});
</script></body>"""


DARK = "--blink-settings=preferredColorScheme=0"


def probe(chromium, page, size, flags):
    words = [
        chromium,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        f"--window-size={size}",
        *flags,
    ]
    done = subprocess.run([*words, "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=120, check=False)  # fmt: skip
    found = re.search(r'data-probe="([^"]*)"', done.stdout)
    assert found, f"the page's script ended early:\n{done.stderr[-2000:]}"
    return json.loads(html.unescape(found.group(1)))


def main():
    warpath, root = sys.argv[1], Path(sys.argv[2])
    chromium = (
        shutil.which("chromium")
        or shutil.which("chromium-browser")
        or shutil.which("google-chrome")
    )
    if not chromium:
        print("no Chromium here: not tested")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        done = subprocess.run(
            [warpath, "xray", "softmax/02", "--compare", "03", "--no-registers", "--html", str(page)],
            capture_output=True, text=True, cwd=root, check=False)  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        text = page.read_text()
        assert len(text) < 3 << 20, f"{len(text)} bytes"
        assert not re.search(r'(src|href)="http', text), "the page loads something"
        page.write_text(text.replace("</body>", PROBE))
        for size, flags in (("400,900", []), ("1920,1080", []), ("400,900", [DARK])):
            answer = probe(chromium, page, size, flags)
            print(size, *flags, answer)
            wanted = {"errors": [], "kernels": 2, "slow": True, "moved": True, "timeline": True}
            wanted |= {"wrong": [], "bars": True, "tops": 1}
            wanted |= {"roof": True, "wide": False, "dark": bool(flags)}
            for key, value in wanted.items():
                assert answer[key] == value, f"{key} at {size}: {answer}"
            check_links(answer)
        check_lines_without_access(warpath, chromium, page)
        check_many_accesses(warpath, root, chromium, page)


def check_links(answer):
    """Each sentence has a lesson, and it opens from wherever the page lies."""
    assert len(answer["links"]) >= answer["sentences"] > 0, answer
    for link in answer["links"]:
        assert Path(unquote(urlparse(link).path)).is_file() and link.startswith("file:///"), link


# Divergence, arithmetic and a barrier on lines that access no memory.
PROGRAM = """#include <cuda_runtime.h>
__device__ float many(float a) {
  for (int k = 0; k < 100; ++k)
    a = a * a + sinf(a);
  return a;
}
__global__ void kernel(const float4* x, float4* y) {
  float4 a = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 0; k < 40; ++k)
    __syncthreads();
  if (threadIdx.x % 32 < 4)
    a.x = many(a.x);
  y[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
int main() {
  float4 *x, *y;
  cudaMalloc(&x, 1 << 20), cudaMalloc(&y, 1 << 20);
  cudaMemset(x, 0, 1 << 20);
  kernel<<<64, 256>>>(x, y);
  return cudaDeviceSynchronize();
}
"""


def check_lines_without_access(warpath, chromium, page):
    program = page.with_name("program.cu")
    program.write_text(PROGRAM)
    words = [warpath, "xray", str(program), "--no-registers", "--json", "--html", str(page)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    waste = json.loads(done.stdout)["waste"][:3]
    with_access = {8, 13}
    assert {w["kind"] for w in waste} == {"divergence", "arithmetic", "barriers"}, waste
    assert not {w["line"] for w in waste} & with_access, waste
    page.write_text(page.read_text().replace("</body>", PROBE))
    answer = probe(chromium, page, "1920,1080", [])
    print(answer)
    wanted = {"errors": [], "wrong": [], "sentences": 3, "splits": True, "bars": True}
    for key, value in wanted.items():
        assert answer[key] == value, f"{key}: {answer}"
    check_links(answer)


def check_many_accesses(warpath, root, chromium, page):
    """Ten million accesses: the page is no larger for them, and opens as quickly."""
    words = [warpath, "xray", "matmul/01", "--no-registers", "--json", "--html", str(page)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    launches = json.loads(done.stdout)["counts"]["launches"]
    accesses = sum(a["lanes"] for launch in launches for a in launch["accesses"])
    assert accesses > 10e6, accesses
    text = page.read_text()
    assert len(text) < 3 << 20, f"{len(text)} bytes"
    page.write_text(text.replace("</body>", PROBE))
    answer = probe(chromium, page, "1920,1080", [])
    print(f"{accesses} accesses, {len(text)} bytes, open after {answer['opened']:.0f} ms")
    assert not answer["errors"] and answer["opened"] < 2000, answer
    assert answer["red"] == 2, answer


if __name__ == "__main__":
    main()
