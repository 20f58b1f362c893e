#!/usr/bin/env python3
"""Opens a page of `xray --html` in headless Chromium: every line clicked, the keyboard, the slider, no errors.

page_test.py WARPATH ROOT
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Runs in the page after its own script; the answer is read from the dumped document.
PROBE = """<script>
const said = []; addEventListener("error", e => said.push(e.message));
const rows = [...document.querySelectorAll("tr.has")];
let pictures = 0;
for (const r of rows) { r.click(); for (const o of $("which").options) { $("which").value = o.value; $("which").onchange();
  for (let i = 0; i <= +$("slide").max; ++i) { $("slide").value = i; $("slide").oninput(); if (document.querySelector("#picture svg")) ++pictures; } } }
rows[0].focus(); rows[0].dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true}));
const moved = document.querySelector("tr.on") === rows[1];
document.querySelectorAll("#waste button").forEach(b => b.click());
document.body.dataset.probe = JSON.stringify({rows: rows.length, pictures, moved, timeline: !!document.querySelector("#timeline svg"),
  roof: !!document.querySelector("#roof svg"), kernels: document.querySelectorAll("#roof svg circle").length / 3, slow: document.querySelectorAll("#timeline title").length > 0, wide: document.documentElement.scrollWidth > innerWidth + 1, errors: said});
</script></body>"""


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
        for size in ("400,900", "1920,1080"):
            done = subprocess.run(
                [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={size}", "--dump-dom", page.as_uri()],
                capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            probe = re.search(r'data-probe="([^"]*)"', done.stdout)
            assert probe, f"the page's script ended early:\n{done.stderr[-2000:]}"
            answer = probe.group(1).replace("&quot;", '"')
            print(size, answer)
            for wanted in (
                '"errors":[]',
                '"kernels":2',
                '"slow":true',
                '"moved":true',
                '"timeline":true',
                '"roof":true',
                '"wide":false',
            ):
                assert wanted in answer, f"{wanted} at {size}: {answer}"


if __name__ == "__main__":
    main()
