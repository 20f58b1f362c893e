"""matmul as other libraries say it: rows of `warpath compare matmul`."""

import numpy
import torch
from torch.nn import functional

_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
_ACTIVATIONS = {
    "none": lambda x: x,
    "relu": torch.relu,
    "gelu": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
}


def matmul_torch(
    a, b, c=None, bias=None, *, alpha=1.0, beta=1.0, activation="none", tf32=False, d_dtype=""
):
    # Sums leave the product in the type of a: in 16 bits c and bias meet what is rounded already.
    before, torch.backends.cuda.matmul.allow_tf32 = torch.backends.cuda.matmul.allow_tf32, tf32
    try:
        z = torch.matmul(a, b)
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
    z = z if alpha == 1 else alpha * z
    if c is not None and beta != 0:
        z = z + beta * c
    if bias is not None:
        z = z + bias
    return _ACTIVATIONS[activation](z).to(_DTYPES.get(d_dtype, a.dtype))


def matmul_numpy(
    a, b, c=None, bias=None, *, alpha=1.0, beta=1.0, activation="none", tf32=False, d_dtype=""
):
    # In f32, for which numpy has a BLAS; f16 it would multiply one by one, for minutes.
    z = numpy.matmul(a.astype(numpy.float32), b.astype(numpy.float32))
    z = z if alpha == 1 else z * z.dtype.type(alpha)
    if c is not None and beta != 0:
        z = z + z.dtype.type(beta) * c
    if bias is not None:
        z = z + bias
    if activation != "none":
        z = _ACTIVATIONS[activation](torch.from_numpy(z)).numpy()
    return z.astype({"f32": numpy.float32, "f16": numpy.float16}.get(d_dtype, a.dtype))


def matmul_onnx(scalars, given):
    """MatMul and what follows it, as nodes; a Constant for each factor that is not 1."""
    lines, last = ["z0 = MatMul (a, b)"], "z0"

    def then(node):
        nonlocal last
        following = f"z{len(lines)}"
        lines.append(f"{following} = {node}")
        last = following

    if scalars["alpha"] != 1:
        lines.append(f"alpha = Constant <value_float = {float(scalars['alpha'])!r}> ()")
        then(f"Mul ({last}, alpha)")
    if "c" in given and scalars["beta"] != 0:
        lines.append(f"beta = Constant <value_float = {float(scalars['beta'])!r}> ()")
        lines.append("scaled = Mul (c, beta)")
        then(f"Add ({last}, scaled)")
    if "bias" in given:
        then(f"Add ({last}, bias)")
    kind = scalars["activation"]
    if kind == "relu":
        then(f"Relu ({last})")
    elif kind == "gelu":
        then(f'Gelu <approximate = "tanh"> ({last})')
    elif kind == "silu":
        lines.append(f"gate = Sigmoid ({last})")
        then(f"Mul ({last}, gate)")
    lines.append(f"d = Identity ({last})")
    return "\n".join(lines)
