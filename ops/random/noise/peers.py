"""Random numbers as other libraries say them: rows of `warpath compare noise`.

Their own generators draw other numbers, which no check could tell from wrong ones. So Philox is written out in the
library's integers: four words per group of four elements, as the contract says.
"""

import math

import torch

MASK = 0xFFFFFFFF


def _wide(word, by: int):
    """Both halves of a product, in 63 bits, as signed integers have no more: the factor in two halves of 16 bits."""
    upper, lower = word * (by >> 16), word * (by & 0xFFFF)
    high = (upper + (lower >> 16)) >> 16
    return high, (((upper & 0xFFFF) << 16) + lower) & MASK


def _words(n: int, seed: int, offset: int, device):
    group = torch.arange((n + 3) // 4, device=device)
    zero = group * 0
    c0, c1 = group & MASK, group >> 32
    c2, c3 = zero + (offset & MASK), zero + ((offset >> 32) & MASK)
    even, odd = seed & MASK, (seed >> 32) & MASK
    for _ in range(10):
        high_a, low_a = _wide(c0, 0xD2511F53)
        high_b, low_b = _wide(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_b ^ c1 ^ even, low_b, high_a ^ c3 ^ odd, low_a
        even, odd = (even + 0x9E3779B9) & MASK, (odd + 0xBB67AE85) & MASK
    return torch.stack((c0, c1, c2, c3), -1)


def noise_torch(like, distribution="normal", scale=1.0, shift=0.0, p=0.5, seed=0, offset=0):
    n = like.numel()
    words = _words(n, seed, offset, like.device)
    if distribution == "normal":
        pairs = words.view(-1, 2)
        radius = torch.sqrt(-2 * torch.log(pairs[:, 0].float() * 2**-32 + 2**-33))
        signed = torch.where(pairs[:, 1] < 2**31, pairs[:, 1], pairs[:, 1] - 2**32)
        angle = signed.float() * (math.pi * 2**-31)
        drawn = torch.stack((radius * torch.cos(angle), radius * torch.sin(angle)), -1)
    elif distribution == "uniform":
        digits = {torch.float16: 11, torch.bfloat16: 8}.get(like.dtype, 24)
        drawn = (words >> (32 - digits)).float() * 2.0**-digits
    else:
        drawn = (words < math.floor(p * 2**32)).float()
    return (shift + scale * drawn.flatten()[:n]).view(like.shape).to(like.dtype)
