"""NF4 with double quantisation as PyTorch says it: rows of `warpath compare nf4_quantize`. Every step is a pass over the weights."""

import torch

_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
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


def _nearest(x, most, table):
    middle = (table[:-1] + table[1:]) * 0.5
    t = x * most.clamp(min=2.0**-126).reciprocal()
    return torch.bucketize(t, middle)  # how many lie below


def nf4_quantize_torch(w, *, groups=0):
    shape, device = w.shape[:-1], w.device
    x = w.reshape(-1, 64).float()
    most = x.abs().amax(1) if len(x) else x.new_empty(0)
    code = _nearest(x, most[:, None], values(device))
    codes = (code[:, ::2] * 16 + code[:, 1::2]).to(torch.uint8).view(*shape, 32)
    offset = most.double().mean().float().reshape(1) if len(most) else x.new_zeros(1)
    distance = x.new_zeros(groups * 256)
    distance[: len(most)] = most - offset
    distance = distance.view(groups, 256)
    scales = distance.abs().amax(1) if groups else x.new_empty(0)
    absmax = _nearest(distance, scales[:, None], eight_bits(device))
    return codes, absmax.view(-1)[: len(most)].to(torch.uint8).view(shape), scales, offset


def nf4_dequantize_torch(codes, absmax, scales, offset, *, w_dtype=""):
    code = torch.stack([codes >> 4, codes & 15], -1).flatten(-2).int()
    group = torch.arange(absmax.numel(), device=codes.device).view(absmax.shape) // 256
    factor = eight_bits(codes.device)[absmax.int()] * scales[group] + offset
    w = values(codes.device)[code] * factor[..., None]
    return w.to(_DTYPES.get(w_dtype, torch.float32))
