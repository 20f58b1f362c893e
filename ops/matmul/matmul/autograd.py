"""The gradients of matmul, by matmul itself: the three forms of a linear layer."""

import torch


def _slope(kind: str, z: torch.Tensor) -> torch.Tensor:
    """The derivative of an activation where its argument is z."""
    if kind == "silu":
        s = torch.sigmoid(z)
        return s * (1 + z * (1 - s))
    c = 0.7978845608028654  # sqrt(2 / pi), of the form with tanh
    t = torch.tanh(c * (z + 0.044715 * z**3))
    return 0.5 * (1 + t) + 0.5 * z * (1 - t * t) * c * (1 + 3 * 0.044715 * z * z)


class Gradient:
    """d = activation(alpha a b + beta c + bias); the arguments of its activation are computed
    again in the backward pass, for gelu and silu, rather than kept."""

    def __init__(self, op, functions: dict):
        self.op = op
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        a, b, c, bias = (*inputs, None, None)[:4]
        kept = {"a": a, "b": b, "c": c, "bias": bias}
        if keyword_only_inputs["activation"] == "relu":
            kept = {"a": a, "b": b, "d": output}
        ctx.shapes = {"c": c is not None, "bias": bias is not None}
        ctx.kept = [name for name, tensor in kept.items() if tensor is not None]
        ctx.save_for_backward(*(kept[name] for name in ctx.kept))
        ctx.named = dict(keyword_only_inputs)

    def backward(self, ctx, dd) -> tuple:
        matmul = self.functions["matmul"]
        kept = dict(zip(ctx.kept, ctx.saved_tensors, strict=True))
        a, b, named = kept["a"], kept["b"], ctx.named
        alpha, beta, kind = named["alpha"], named["beta"], named["activation"]
        dz = dd
        if kind == "relu":
            dz = dd * (kept["d"] > 0)
        elif kind != "none":
            again = {k: v for k, v in named.items() if k not in ("activation", "rung")}
            c = kept.get("c")
            if a.dtype != torch.float64:
                again["d_dtype"] = "f32"
                c = c.float() if c is not None else None
            z = matmul(a, b, c, kept.get("bias"), **again)
            dz = (dd * _slope(kind, z)).to(dd.dtype)
        dy = dz.to(a.dtype)
        products = {"alpha": alpha, "tf32": named["tf32"]}
        first = getattr(ctx, "tensors_from", 0)
        wants_a, wants_b = ctx.needs_input_grad[first : first + 2]
        da = matmul(dy, b.mT, **products) if wants_a else None
        db = matmul(a.mT, dy, **products) if wants_b else None
        dc = (beta * dz).to(dd.dtype) if ctx.shapes["c"] else None
        dbias = None
        if ctx.shapes["bias"]:
            wide = torch.promote_types(dz.dtype, torch.float32)
            dbias = dz.flatten(0, -2).sum(0, dtype=wide).to(a.dtype)
        return da, db, dc, dbias


GRADIENTS = {"matmul": Gradient}
AUTOCAST = ("matmul",)
