"""Measures how far every rung is from float64, beside PyTorch:

    ./warpath python ops/attention/attention/accuracy.py

Writes accuracy.json and accuracy_backward.json beside this file, which the lesson shows. No GPU is needed: on a CPU the
rungs compute the same, and PyTorch by its own kernels for CPUs.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
import warpath

HERE = Path(__file__).resolve().parent
HEADS, KEYS, DIMS = 2, 300, (64, 128)
ROUNDED = "float64, rounded once"


def made(dim: int, dtype: torch.dtype) -> list[torch.Tensor]:
    """q, k, v and the gradient of o: (batch, sequence, heads, dim)."""
    generator = torch.Generator().manual_seed(dim)
    shape = (1, KEYS, HEADS, dim)
    return [torch.randn(shape, generator=generator).to(dtype) for _ in range(4)]


def by_torch(q, k, v, d_o) -> list[torch.Tensor]:
    """o, dq, dk and dv of scaled_dot_product_attention, in the type of the inputs."""
    inputs = [t.detach().clone().requires_grad_() for t in (q, k, v)]
    heads_first = [t.transpose(1, 2) for t in inputs]
    o = torch.nn.functional.scaled_dot_product_attention(*heads_first, is_causal=True)
    o = o.transpose(1, 2)
    return [o.detach(), *torch.autograd.grad(o, inputs, d_o)]


def in_float64(q, k, v, d_o) -> tuple[list[torch.Tensor], torch.Tensor]:
    """o, dq, dk and dv by the definition; and lse, as the backward pass takes it."""
    q, k, v = (t.double().requires_grad_() for t in (q, k, v))
    s = torch.einsum("bihd,bjhd->bhij", q, k) * q.shape[-1] ** -0.5
    s = s.masked_fill(torch.ones(KEYS, KEYS).triu(1).bool(), -torch.inf)
    o = torch.einsum("bhij,bjhd->bihd", s.softmax(-1), v)
    gradients = torch.autograd.grad(o, (q, k, v), d_o.double())
    return [o.detach(), *gradients], s.detach().logsumexp(-1).float()


def errors(result: torch.Tensor, wanted: torch.Tensor) -> list[float]:
    """The root of the mean squared error over that of the values; the largest error over the largest value."""
    error = result.double() - wanted
    rms = error.square().mean().sqrt() / wanted.square().mean().sqrt()
    return [float(rms), float(error.abs().max() / wanted.abs().max())]


def rounded(numbers: list[float], unit: float) -> list[float]:
    return [float(f"{number / unit:.3g}") for number in numbers]


def forward(rungs: list[str]) -> dict:
    """Columns: bf16 with heads of 64, bf16 with heads of 128, f32 with heads of 64."""
    rows: dict[str, list] = {name: [] for name in [*rungs, "PyTorch", ROUNDED]}
    for dim, dtype, unit in (*((d, torch.bfloat16, 1e-3) for d in DIMS), (64, torch.float32, 1e-7)):
        q, k, v, d_o = made(dim, dtype)
        (wanted, *_), _ = in_float64(q, k, v, d_o)
        for name, row in rows.items():
            if name == ROUNDED:
                o = wanted.to(dtype)
            elif name == "PyTorch":
                o = by_torch(q, k, v, d_o)[0]
            elif dtype == torch.float32 and int(name[:2]) > 5:  # tensor cores take 16 bits
                row += ["–", "–"]
                continue
            else:
                o = warpath.attention(q, k, v, causal=True, rung=name)[0]
            row += rounded(errors(o, wanted), unit)
    columns = ["o", "bf16, d 64: RMS", "largest", "bf16, d 128: RMS", "largest", "f32, d 64: RMS", "largest"]  # fmt: skip
    units = "in 10^-3 for bf16, in 10^-7 for f32"
    return table(columns, [[name, *row] for name, row in rows.items()], units)


def backward(rungs: list[str]) -> dict:
    """Every rung gets the same o and lse: those of float64, rounded."""
    rows = []
    for dim in DIMS:
        q, k, v, d_o = made(dim, torch.bfloat16)
        wanted, lse = in_float64(q, k, v, d_o)
        o = wanted[0].to(q.dtype)
        results = {
            rung: warpath.attention_backward(d_o, q, k, v, o, lse, causal=True, rung=rung)
            for rung in rungs
        }
        results["PyTorch"] = by_torch(q, k, v, d_o)[1:]
        results[ROUNDED] = [t.to(q.dtype) for t in wanted[1:]]
        for name, gradients in results.items():
            pairs = zip(gradients, wanted[1:], strict=True)
            row = [x for pair in pairs for x in rounded(errors(*pair), 1e-3)]
            rows.append([f"{name}, d {dim}", *row])
    columns = ["bf16", *(c for g in ("dq", "dk", "dv") for c in (f"{g}: RMS", "largest"))]
    return table(columns, rows, "in 10^-3")


def table(columns: list[str], rows: list[list], units: str) -> dict:
    note = (
        f"Error against float64, {units}. RMS: of the errors, over that of the values; largest: error over largest value. "
        f"Causal, {KEYS} queries and keys, {HEADS} heads, normal numbers. On a CPU, PyTorch {torch.__version__}. "
        "Written by accuracy.py."
    )
    return {"columns": columns, "rows": rows, "note": note}


def main() -> None:
    tables = {
        "accuracy": forward(warpath.rungs("attention")),
        "accuracy_backward": backward(warpath.rungs("attention_backward")),
    }
    for name, one in tables.items():
        text = json.dumps(one, indent=1, ensure_ascii=False) + "\n"
        (HERE / f"{name}.json").write_text(text, encoding="utf-8")
        print(f"wrote {name}.json")


if __name__ == "__main__":
    main()
