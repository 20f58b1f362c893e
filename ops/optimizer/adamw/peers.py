"""A step of AdamW as PyTorch says it: a row of `warpath compare adamw`."""

import torch


def adamw_torch(
    p, g, m, v, master=None, decay=None, grad_scale=None, lr_step=None, *, lr=1e-3, beta1=0.9,
    beta2=0.999, eps=1e-8, weight_decay=0.01, step=1,
):  # fmt: skip
    """In place, by the kernel behind torch.optim.AdamW(fused=True). That one takes one weight decay per call, wants all its
    tensors in one type, and divides by the scale of the gradients, which it overwrites."""
    some = [i for i, t in enumerate(p) if t.numel()]
    if not some:
        return
    copies = master is None and p[0].dtype != torch.float32
    weights = [t.float() for t in p] if copies else p if master is None else master
    scaled = grad_scale is not None
    gradients = [t.to(torch.float32, copy=scaled) for t in g]
    scale = 1 / grad_scale.reshape(()) if scaled else None
    at = torch.tensor(float(step), device=p[0].device)
    if lr_step is not None:
        lr, at = lr_step[0], lr_step[1]
    calls = [(weight_decay, some)]
    if decay is not None:
        calls = [(weight_decay * float(decay[i]), [i]) for i in some]
    for its_decay, which in calls:
        torch._fused_adamw_(
            *([given[i] for i in which] for given in (weights, gradients, m, v)),
            [],
            [at] * len(which),
            lr=lr,
            beta1=beta1,
            beta2=beta2,
            weight_decay=its_decay,
            eps=eps,
            amsgrad=False,
            maximize=False,
            grad_scale=scale,
        )
    if weights is not p:
        torch._foreach_copy_(list(p), list(weights))
