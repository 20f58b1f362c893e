"""The random numbers of models/random.h and ops/random, and the images of models/shapes.cpp."""

import math

import torch

MASK = (1 << 64) - 1


def mixed(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


class Random:
    def __init__(self, seed: int, stream: int):
        self.key = mixed(mixed(seed) ^ (stream * 0xD1342543DE82EF95 & MASK))

    def uniform(self, i: int) -> float:
        return (mixed(self.key ^ i) >> 11) * 2.0**-53


def philox(count: int, seed: int, offset: int) -> torch.Tensor:
    """Words 0, 1, ... of philox4x32-10, four for each counter."""
    i = torch.arange(-(-count // 4))
    c = [i, 0 * i, 0 * i + (offset & 0xFFFFFFFF), 0 * i + (offset >> 32)]
    key = [seed & 0xFFFFFFFF, seed >> 32]

    def product(factor, x):  # the high and the low word, in steps that fit into int64 and its sign
        bottom, top = factor * (x & 0xFFFF), factor * (x >> 16)
        middle = (bottom >> 16) + top
        return middle >> 16, (middle & 0xFFFF) << 16 | (bottom & 0xFFFF)

    for _ in range(10):
        high0, low0 = product(0xD2511F53, c[0])
        high1, low1 = product(0xCD9E8D57, c[2])
        c = [high1 ^ c[1] ^ key[0], low1, high0 ^ c[3] ^ key[1], low0]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return torch.stack(c, 1).flatten()[:count]


def normal(count: int, seed: int, offset: int) -> torch.Tensor:
    """The numbers of the op `noise`; count is even."""
    words = philox(count, seed, offset).double().view(-1, 2)
    radius = (-2 * torch.log((words[:, 0] + 0.5) / 2**32)).sqrt()
    angle = 2 * math.pi * words[:, 1] / 2**32
    return torch.stack([radius * angle.cos(), radius * angle.sin()], 1).flatten()


def shape_image(seed: int, index: int, size: int) -> tuple[torch.Tensor, int]:
    """An image of three channels and its class."""
    random, at = Random(seed, 0x696D6167 + index), iter(range(99))

    def between(low, high):
        return low + (high - low) * random.uniform(next(at))

    shape = int(6 * random.uniform(next(at)))
    r = between(0.28, 0.42)
    x0, y0 = between(r, 1 - r), between(r, 1 - r)
    colours = torch.tensor([(between(-1, -0.5), between(0.1, 1)) for _ in range(3)])
    middle = (torch.arange(size, dtype=torch.double) + 0.5) / size
    x, y = (middle - x0)[None, :], (middle - y0)[:, None]
    ax, ay = x.abs().expand(size, size), y.abs().expand(size, size)
    far = torch.hypot(ax, ay)
    distance = [
        far - r,
        (far - 0.8 * r).abs() - 0.2 * r,
        torch.maximum(ax, ay) - 0.85 * r,
        (ax + ay - 1.15 * r) * 0.7071,
        torch.minimum(torch.maximum(ax - r, ay - 0.3 * r), torch.maximum(ay - r, ax - 0.3 * r)),
        torch.maximum(y - 0.75 * r, 0.866 * ax - 0.5 * y - 0.5 * r),
    ][shape]
    inside = (0.5 - distance * size).clamp(0, 1)
    ground, colour = colours[:, 0, None, None], colours[:, 1, None, None]
    return (ground + (colour - ground) * inside).float(), shape


def shapes(seed: int, number: int, batch: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Batch `number` of a run with that seed."""
    all_of_them = [shape_image(seed, number * batch + b, size) for b in range(batch)]
    return torch.stack([i for i, _ in all_of_them]), torch.tensor([s for _, s in all_of_them])


def times(seed: int, number: int, batch: int, count: int) -> torch.Tensor:
    random = Random(seed, 0x74696D65)
    return torch.tensor([int(count * random.uniform(number * batch + b)) for b in range(batch)])
