"""Measures Welford's recurrence, two passes and the sum of squares on rows that lie far from zero:

    ./warpath python ops/norm/layer_norm/accuracy.py

Writes accuracy.json beside this file, which the lesson shows. No GPU is needed: on a CPU the rungs compute the same.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import warpath

HERE = Path(__file__).resolve().parent
ROWS, COLS, EPS = 16, 4096, 1e-5
MEANS = (0.0, 100.0, 1e4)
LADDER = {
    "01_naive": "two passes, one chain",
    "03_warp": "two passes, 32 lanes",
    "04_welford": "Welford",
    "05_vector": "two passes over registers",
}


def sum_of_squares(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """E[x^2] - E[x]^2 in float, added up as wrong/sum_of_squares.cu does: 32 lanes, then a tree."""
    total = torch.zeros(ROWS, 32)
    squares = torch.zeros(ROWS, 32)
    for part in x.view(ROWS, COLS // 32, 32).unbind(1):
        total = total + part
        squares = squares + part * part
    while total.shape[1] > 1:
        total = total[:, ::2] + total[:, 1::2]
        squares = squares[:, ::2] + squares[:, 1::2]
    mean = total / COLS
    rstd = ((squares / COLS - mean * mean).clamp(min=0) + EPS).rsqrt()
    return (x - mean) * rstd, rstd[:, 0]


def errors(x: torch.Tensor, y: torch.Tensor, rstd: torch.Tensor) -> list[str]:
    """The largest of y, where values are about 1, and the largest of rstd, over rstd."""
    wide = x.double()
    distance = wide - wide.mean(1, keepdim=True)
    wanted = (distance.square().mean(1) + EPS).rsqrt()
    of_y = (y.double() - distance * wanted[:, None]).abs().max()
    of_rstd = ((rstd.double() - wanted) / wanted).abs().max()
    return [f"{float(error):.1e}" for error in (of_y, of_rstd)]


def measured() -> dict:
    normal = torch.randn(ROWS, COLS, generator=torch.Generator().manual_seed(1))
    rows = {f"{rung}: {way}": [] for rung, way in LADDER.items()}
    rows |= {"wrong/sum_of_squares": [], "PyTorch": []}
    for mean in MEANS:
        x = normal + mean
        for name, row in rows.items():
            if name == "PyTorch":
                y, _, rstd = torch.native_layer_norm(x, [COLS], None, None, EPS)
                rstd = rstd[:, 0]
            elif name.startswith("wrong"):
                y, rstd = sum_of_squares(x)
            else:
                y, _, rstd = warpath.layer_norm(x, eps=EPS, rung=name.split(":")[0])
            row += errors(x, y, rstd)
    columns = ["f32", *(c for m in MEANS for c in (f"mean {m:g}: y", "rstd"))]
    note = (
        f"Largest error of y, and of rstd over rstd, against float64 on the same floats: {ROWS} rows of {COLS}, standard "
        f"deviation 1. On a CPU, PyTorch {torch.__version__}. Written by accuracy.py."
    )
    return {
        "columns": columns,
        "rows": [[name, *row] for name, row in rows.items()],
        "note": note,
    }


def main() -> None:
    text = json.dumps(measured(), indent=1, ensure_ascii=False) + "\n"
    (HERE / "accuracy.json").write_text(text, encoding="utf-8")
    print("wrote accuracy.json")


if __name__ == "__main__":
    main()
