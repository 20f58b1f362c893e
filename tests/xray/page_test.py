#!/usr/bin/env python3
"""Opens a page of `xray --html` in headless Chromium: every line clicked, the keyboard, the slider, no errors.

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

# Runs in the page after its own script; the answer is read from the dumped document.
PROBE = """<script>
const opened = performance.now(), said = []; addEventListener("error", e => said.push(e.message));
const rows = [...document.querySelectorAll("tr.has")];
let pictures = 0;
for (const r of rows) { r.click(); for (const o of $("which").options) { $("which").value = o.value; $("which").onchange();
  for (let i = 0; i <= +$("slide").max; ++i) { $("slide").value = i; $("slide").oninput(); if (document.querySelector("#picture svg")) ++pictures; } } }
rows[0].focus(); rows[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
const moved = document.querySelector("tr.on") === rows[1];
document.querySelectorAll("#waste button").forEach(b => b.click());
document.body.dataset.probe = JSON.stringify({rows: rows.length, pictures, moved, timeline: !!document.querySelector("#timeline svg"),
  opened, dark: getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).every(c => +c < 100),
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
            wanted |= {"roof": True, "wide": False, "dark": bool(flags)}
            for key, value in wanted.items():
                assert answer[key] == value, f"{key} at {size}: {answer}"
        check_many_accesses(warpath, root, chromium, page)


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
