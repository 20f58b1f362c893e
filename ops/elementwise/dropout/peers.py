"""Dropout as other libraries say it: rows of `warpath compare dropout`.

Their own dropouts draw another mask, which no check could tell from a wrong one. So the generator is written out in the
library's integers: four words per group of four elements, as the contract says.
"""

import numpy
import torch

MASK = 0xFFFFFFFF


def _words(group, seed: int, offset: int, wide):
    """The four words of each group; `wide` makes a 64-bit product's two halves of a 32-bit word in 64 bits."""
    zero = group * 0
    c0, c1 = group & MASK, group >> 32
    c2, c3 = zero + (offset & MASK), zero + ((offset >> 32) & MASK)
    even, odd = seed & MASK, (seed >> 32) & MASK
    for _ in range(10):
        high_a, low_a = wide(c0, 0xD2511F53)
        high_b, low_b = wide(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_b ^ c1 ^ even, low_b, high_a ^ c3 ^ odd, low_a
        even, odd = (even + 0x9E3779B9) & MASK, (odd + 0xBB67AE85) & MASK
    return c0, c1, c2, c3


def _wide(word, by: int):
    """In 63 bits, as signed integers have no more: the factor in two halves of 16 bits."""
    upper, lower = word * (by >> 16), word * (by & 0xFFFF)
    high = (upper + (lower >> 16)) >> 16
    return high, (((upper & 0xFFFF) << 16) + lower) & MASK


def dropout_torch(x, residual=None, p=0.5, seed=0, offset=0):
    n = x.numel()
    group = torch.arange((n + 3) // 4, device=x.device)
    words = torch.stack(_words(group, seed, offset, _wide), -1).flatten()[:n]
    factor = 1 / (1 - p) if p < 1 else 0.0
    kept = torch.where(words.view(x.shape) >= int(p * 2**32), x.float() * factor, 0.0)
    return (kept if residual is None else kept + residual.float()).to(x.dtype)


def dropout_backward_torch(dy, p=0.5, seed=0, offset=0):
    return dropout_torch(dy, None, p, seed, offset)


def dropout_numpy(x, residual=None, p=0.5, seed=0, offset=0):
    group = numpy.arange((x.size + 3) // 4, dtype=numpy.int64)
    words = numpy.stack(_words(group, seed, offset, _wide), -1).reshape(-1)[: x.size]
    factor = numpy.float32(1 / (1 - p) if p < 1 else 0)
    product = x.astype(numpy.float32) * factor
    kept = numpy.where(words.reshape(x.shape) >= int(p * 2**32), product, numpy.float32(0))
    return (kept if residual is None else kept + residual.astype(numpy.float32)).astype(x.dtype)


def dropout_backward_numpy(dy, p=0.5, seed=0, offset=0):
    return dropout_numpy(dy, None, p, seed, offset)
