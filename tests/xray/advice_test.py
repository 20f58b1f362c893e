#!/usr/bin/env python3
"""The first sentence of xray for a rung is about what its next rung removes: advice.json.

advice_test.py WARPATH ROOT [OP]
"""

import concurrent.futures
import json
import subprocess
import sys
from pathlib import Path

here = Path(__file__).resolve().parent


def first_waste(warpath, root, rung):
    done = subprocess.run(
        [warpath, "xray", rung, "--no-registers", "--json"],
        capture_output=True,
        text=True,
        cwd=root,
        check=False,
    )
    if done.returncode != 0:
        return f"failed: {done.stdout}{done.stderr}", ""
    waste = json.loads(done.stdout)["waste"]
    return (waste[0]["kind"], waste[0]["sentence"]) if waste else ("none", "")


def main():
    warpath, root, only = sys.argv[1], Path(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else ""
    wanted = {
        k: v
        for k, v in json.loads((here / "advice.json").read_text()).items()
        if k.startswith(only)
    }
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda rung: first_waste(warpath, root, rung), wanted)
        for (rung, (kind, cure)), (got, sentence) in zip(wanted.items(), found):
            ok = got == kind
            failed += not ok
            print(
                f"{'ok' if ok else 'WRONG'}  {rung}: {got}"
                + ("" if ok else f", not {kind}: {cure}. It says: {sentence}")
            )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
