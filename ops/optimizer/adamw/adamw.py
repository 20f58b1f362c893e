"""A step of AdamW in Triton.

Against 01_per_tensor.cu: the same, one launch per tensor. A table of pointers as a kernel parameter, which 02_chunks.cu reads
many tensors by, cannot be said in Triton: pointers would have to come from device memory as integers.
"""

import math

import torch
import triton
import triton.language as tl

_BLOCK = 1024


@triton.jit
def adamw_kernel(
    p, g, m, v, master, decay, grad_scale, of_step, n, index, rate_decay, beta1, rest1, beta2, rest2,
    size, root, eps, MASTER: tl.constexpr, DECAY: tl.constexpr, SCALE: tl.constexpr,
    OF_STEP: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    if OF_STEP:
        rate_decay = tl.load(of_step)
        size = tl.load(of_step + 1)
        root = tl.load(of_step + 2)
    grad = tl.load(g + i, mask=inside, other=0).to(tl.float32)
    if SCALE:
        grad = grad * tl.load(grad_scale)
    first = beta1 * tl.load(m + i, mask=inside, other=0) + rest1 * grad
    second = beta2 * tl.load(v + i, mask=inside, other=0) + rest2 * (grad * grad)
    if MASTER:
        weight = tl.load(master + i, mask=inside, other=0)
    else:
        weight = tl.load(p + i, mask=inside, other=0).to(tl.float32)
    keep = 1 - rate_decay
    if DECAY:
        keep = 1 - rate_decay * tl.load(decay + index)
    weight = keep * weight - size * (first / (tl.sqrt(second) * root + eps))
    tl.store(m + i, first, mask=inside)
    tl.store(v + i, second, mask=inside)
    if MASTER:
        tl.store(master + i, weight, mask=inside)
    tl.store(p + i, weight.to(p.dtype.element_ty), mask=inside)


def _constants(lr_step: torch.Tensor, beta1: float, beta2: float, weight_decay: float):
    """What depends on the rate and the step, computed where they lie: nothing waits for the device."""
    lr, step = lr_step.double()
    logs = [math.log(beta) if beta else -math.inf for beta in (beta1, beta2)]
    power = [-torch.expm1(step * log) for log in logs]
    return torch.stack([lr * weight_decay, lr / power[0], power[1].rsqrt()]).float()


def adamw(
    p: list[torch.Tensor],
    g: list[torch.Tensor],
    m: list[torch.Tensor],
    v: list[torch.Tensor],
    master: list[torch.Tensor] | None = None,
    decay: torch.Tensor | None = None,
    grad_scale: torch.Tensor | None = None,
    lr_step: torch.Tensor | None = None,
    *,
    lr: float = 1e-3,
    beta1: float = 0.9,
    beta2: float = 0.999,
    eps: float = 1e-8,
    weight_decay: float = 0.01,
    step: int = 1,
) -> None:
    of_step = None if lr_step is None else _constants(lr_step, beta1, beta2, weight_decay)
    for i, weights in enumerate(p):
        if weights.numel() == 0:
            continue
        adamw_kernel[(triton.cdiv(weights.numel(), _BLOCK),)](
            weights,
            g[i],
            m[i],
            v[i],
            m[i] if master is None else master[i],
            m[i] if decay is None else decay,
            m[i] if grad_scale is None else grad_scale,
            m[i] if of_step is None else of_step,
            weights.numel(),
            i,
            lr * weight_decay,
            beta1,
            1 - beta1,
            beta2,
            1 - beta2,
            lr / (1 - beta1**step),
            (1 - beta2**step) ** -0.5,
            eps,
            MASTER=master is not None,
            DECAY=decay is not None,
            SCALE=grad_scale is not None,
            OF_STEP=of_step is not None,
            BLOCK=_BLOCK,
        )
