"""A linear layer on NF4 weights as PyTorch says it: rows of `warpath compare nf4_matmul`. The weights are expanded in memory first."""

import torch

_VALUES = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725,
    0.24611230194568634, 0.33791524171829224, 0.44070982933044434, 0.5626170039176941,
    0.7229568362236023, 1.0,
)  # fmt: skip


def values(device: torch.device) -> torch.Tensor:
    return torch.tensor(_VALUES, device=device)


def eight_bits(device: torch.device) -> torch.Tensor:
    """The 256 values of an absmax, as make_map of nf4.h computes them."""
    positive = []
    one, tenth = torch.tensor(1.0).double(), torch.tensor(0.1).double()
    for i in range(7):
        steps = 2**i
        step = ((one.float() - tenth.float()) / steps).double()
        s = torch.arange(steps + 1, dtype=torch.float64)
        lower = s < (steps + 1) // 2
        edges = torch.where(lower, tenth + step * s, one - step * (steps - s)).float()
        middle = (edges[:-1] + edges[1:]) / 2
        positive.append((float(f"1e{i - 6}") * middle.double()).float())
    positive = torch.cat(positive)
    zero, last = torch.zeros(1), torch.ones(1)
    return torch.cat([-positive.flip(0), zero, positive, last]).to(device)


def nf4_matmul_torch(x, codes, absmax, scales, offset, bias=None):
    code = torch.stack([codes >> 4, codes & 15], -1).flatten(-2).int()
    group = torch.arange(absmax.numel(), device=codes.device).view(absmax.shape) // 256
    factor = eight_bits(codes.device)[absmax.int()] * scales[group] + offset
    w = (values(codes.device)[code] * factor[..., None]).flatten(-2)
    wide = torch.promote_types(x.dtype, torch.float32)
    y = x.to(wide) @ w.to(wide).T
    return (y if bias is None else y + bias.to(wide)).to(x.dtype)
