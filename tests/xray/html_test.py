"""What of `xray --html` and `--compare` needs no browser: the page's size and data, that it loads nothing, the table's words.

html_test.py WARPATH ROOT        page_test.py opens the page.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


def check_page(text, titles):
    assert len(text) < 3 << 20, f"{len(text)} bytes"
    data = DATA.findall(text)
    assert len(data) == 1, f"{len(data)} elements with data"
    # The source's text may name a page; what draws it may not. An SVG element's namespace is a name, not an address.
    drawn = DATA.sub("", text).replace("http://www.w3.org/2000/svg", "")
    for word in ("http:", "https:", "//cdn", "@import", "fetch(", "XMLHttpRequest", "src="):
        assert word not in drawn, f"the page has '{word}': it is to load nothing"
    data = json.loads(data[0])
    assert [p["title"] for p in data["parts"]] == titles, [p["title"] for p in data["parts"]]
    for part in data["parts"]:
        assert part["waste"] and all(w["sentence"] and w["lesson"] for w in part["waste"]), part["title"]  # fmt: skip
        lines = {n for f in part["files"] for n in range(f["first"], f["first"] + len(f["text"]))}
        accesses = [a for one in part["launches"] for a in one["accesses"]]
        assert accesses and all(a["line"] in lines for a in accesses), part["title"]
        for a in accesses:
            for s in a["samples"]:
                assert len(s["offsets"]) == s["mask"].bit_count(), (part["title"], a["line"])


def check_comparison(said):
    """softmax: a block per row and trees in shared memory; a warp per row and shuffles."""
    table, *advice = said.split("\nsoftmax/")
    head, *rows = [line.strip() for line in table.splitlines() if line.strip()]
    assert re.match(r"softmax/02_shared and softmax/03_warp, case '.*' in f32$", head), head
    assert "02_shared" in rows[0] and "03_warp" in rows[0] and "Nsight Compute's name" in rows[0], rows[0]  # fmt: skip
    loads = next(r for r in rows if r.startswith("global load requests"))
    assert loads.endswith("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), loads
    barriers = next(r for r in rows if r.startswith("barriers")).split()
    assert barriers[1] == "10k" and barriers[2] == "0", barriers  # 20 in each of 512 blocks
    active = next(r for r in rows if r.startswith("active lanes"))
    assert "smsp__thread_inst_executed_per_inst_executed.ratio" in active, active
    assert len(advice) == 2, advice
    assert advice[0].startswith("02_shared") and "[barriers: " in advice[0], advice[0]
    assert advice[1].startswith("03_warp") and "[read again: " in advice[1], advice[1]
    assert "waits: a block passes" not in advice[1], advice[1]


def main():
    warpath, root = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        words = [warpath, "xray", "softmax/02", "--compare", "03", "--no-registers", "--html", str(page)]  # fmt: skip
        done = subprocess.run(words, capture_output=True, text=True, cwd=root, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        first, said = done.stdout.split("\n", 1)
        assert first == str(page), first
        check_page(page.read_text(), ["softmax/02_shared", "softmax/03_warp"])
    check_comparison(said)


if __name__ == "__main__":
    main()
