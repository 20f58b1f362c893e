"""The two steps of a diffusion model as PyTorch says them: rows of `warpath compare ddpm_step`.

torch.randn draws other noise, which no check could tell from wrong noise. So Philox is written out in integers, four words
per group of four elements, as the op `noise` has it.
"""

import math

import torch

MASK = 0xFFFFFFFF


def _wide(word, by: int):
    """Both halves of a product, in 63 bits, as signed integers have no more: the factor in two halves of 16 bits."""
    upper, lower = word * (by >> 16), word * (by & 0xFFFF)
    high = (upper + (lower >> 16)) >> 16
    return high, (((upper & 0xFFFF) << 16) + lower) & MASK


def _normals(like, seed: int, offset: int):
    n = like.numel()
    group = torch.arange((n + 3) // 4, device=like.device)
    zero = group * 0
    c0, c1 = group & MASK, group >> 32
    c2, c3 = zero + (offset & MASK), zero + ((offset >> 32) & MASK)
    even, odd = seed & MASK, (seed >> 32) & MASK
    for _ in range(10):
        high_a, low_a = _wide(c0, 0xD2511F53)
        high_b, low_b = _wide(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_b ^ c1 ^ even, low_b, high_a ^ c3 ^ odd, low_a
        even, odd = (even + 0x9E3779B9) & MASK, (odd + 0xBB67AE85) & MASK
    pairs = torch.stack((c0, c1, c2, c3), -1).view(-1, 2)
    radius = torch.sqrt(-2 * torch.log(pairs[:, 0].float() * 2**-32 + 2**-33))
    signed = torch.where(pairs[:, 1] < 2**31, pairs[:, 1], pairs[:, 1] - 2**32)
    angle = signed.float() * (math.pi * 2**-31)
    z = torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), -1)
    return z.flatten()[:n].view(like.shape)


def ddpm_noise_torch(x0, alpha_bar, t, seed=0, offset=0):
    a = alpha_bar[t.long()][:, None]
    z = _normals(x0, seed, offset)
    noised = torch.sqrt(a) * x0 + torch.sqrt(1 - a) * z
    return noised.to(x0.dtype), z.to(x0.dtype)


def ddpm_step_torch(
    x, eps, alpha_bar, t, previous=None, sampler="ddpm", eta=0.0, clip=0.0, seed=0, offset=0
):
    t = t.long()
    before = t - 1 if previous is None else previous.long()
    a = alpha_bar[t][:, None]
    b = torch.where(before >= 0, alpha_bar[before.clamp(min=0)], 1.0)[:, None]
    beta, share = (b - a) / b, (1 - b) / (1 - a)
    sigma = torch.sqrt((beta * share).clamp(min=0))
    wide = x.double() if x.dtype == torch.float64 else x.float()
    predicted = eps.to(wide.dtype)
    x0 = (wide - torch.sqrt(1 - a) * predicted) / torch.sqrt(a)
    if clip > 0:
        x0 = x0.clamp(-clip, clip)
    if sampler == "ddim":
        kept = (1 - b) * ((1 - eta * eta) + eta * eta * (a * share / b))
        y = torch.sqrt(b) * x0 + torch.sqrt(kept) * predicted
        sigma = eta * sigma
    else:
        y = torch.sqrt(b) * beta / (1 - a) * x0 + torch.sqrt(a / b) * share * wide
    if sampler == "ddpm" or eta > 0:
        y = y + sigma * _normals(x, seed, offset)
    return y.to(x.dtype)
