"""The two steps of a diffusion model in Triton: the same Philox, the same noise.

Against 03_vector.cu: a program stays inside one sample too, and computes the sample's factors as scalars. Its elements
begin anywhere in a group of four, so it draws whole groups of the tensor and takes its elements from them: the groups are
counted from the tensor's first element.
"""

import torch
import triton
import triton.language as tl

TILE = 1024  # elements per program


@triton.jit
def normals(at, seed, offset):
    """Of the elements with these indices: each computes its pair, of which one number is its own."""
    group = at // 4
    low = (group & 0xFFFFFFFF).to(tl.uint32)
    high = (group >> 32).to(tl.uint32)
    # 64 bits whatever the number: Triton takes small ones as 32.
    offset = offset.to(tl.int64)
    offset_low = (offset & 0xFFFFFFFF).to(tl.uint32) + low * 0
    offset_high = ((offset >> 32) & 0xFFFFFFFF).to(tl.uint32) + low * 0
    w0, w1, w2, w3 = tl.philox(seed, low, high, offset_low, offset_high)
    first = at % 4 < 2
    a, b = tl.where(first, w0, w2), tl.where(first, w1, w3)
    u = a.to(tl.float32) * (1 / 4294967296.0) + (0.5 / 4294967296.0)
    angle = b.to(tl.int32, bitcast=True).to(tl.float32) * (3.141592653589793 / 2147483648.0)
    radius = tl.sqrt(-2 * tl.log(u))
    return radius * tl.where(at % 2 == 0, tl.cos(angle), tl.sin(angle))


@triton.jit(do_not_specialize=["seed", "offset"])
def ddpm_noise_kernel(
    x0, alpha_bar, t, noised, eps, size, seed, offset, TILE: tl.constexpr
):  # fmt: skip
    sample = tl.program_id(0).to(tl.int64)
    inside = tl.program_id(1) * TILE + tl.arange(0, TILE)
    at = sample * size + inside
    a = tl.load(alpha_bar + tl.load(t + sample))
    z = normals(at, seed, offset)
    x = tl.load(x0 + at, mask=inside < size).to(tl.float32)
    mixed = tl.sqrt(a) * x + tl.sqrt(1 - a) * z
    tl.store(noised + at, mixed.to(noised.dtype.element_ty), mask=inside < size)
    tl.store(eps + at, z.to(eps.dtype.element_ty), mask=inside < size)


@triton.jit(do_not_specialize=["seed", "offset"])
def ddpm_step_kernel(
    x, eps, alpha_bar, t, previous, y, size, eta, eta_squared, rest, clip, seed, offset,
    GIVEN: tl.constexpr, DDIM: tl.constexpr, CLIP: tl.constexpr, NOISE: tl.constexpr,
    TILE: tl.constexpr,
):  # fmt: skip
    sample = tl.program_id(0).to(tl.int64)
    inside = tl.program_id(1) * TILE + tl.arange(0, TILE)
    at = sample * size + inside
    now = tl.load(t + sample)
    before = tl.load(previous + sample) if GIVEN else now - 1
    a = tl.load(alpha_bar + now)
    b = tl.load(alpha_bar + before, mask=before >= 0, other=1.0)
    # As schedule.cuh: no difference of rounded numbers.
    noisy, beta = 1 - a, (b - a) / b
    share = (1 - b) / noisy
    sigma = tl.sqrt(tl.maximum(beta * share, 0.0))
    now_x = tl.load(x + at, mask=inside < size).to(tl.float32)
    predicted = tl.load(eps + at, mask=inside < size).to(tl.float32)
    start = (now_x - tl.sqrt(noisy) * predicted) / tl.sqrt(a)
    if CLIP:
        start = tl.where(start > clip, clip, tl.where(start < -clip, -clip, start))
    if DDIM:
        other = tl.sqrt((1 - b) * (rest + eta_squared * (a * share / b))) * predicted
        result = tl.sqrt(b) * start + other
        sigma = eta * sigma
    else:
        result = tl.sqrt(b) * beta / noisy * start + tl.sqrt(a / b) * share * now_x
    if NOISE:
        result += sigma * normals(at, seed, offset)
    tl.store(y + at, result.to(y.dtype.element_ty), mask=inside < size)


def ddpm_noise(
    x0: torch.Tensor, alpha_bar: torch.Tensor, t: torch.Tensor, seed: int = 0, offset: int = 0
) -> tuple[torch.Tensor, torch.Tensor]:
    x0 = x0.contiguous()
    noised, eps = torch.empty_like(x0), torch.empty_like(x0)
    if x0.numel():
        grid = (x0.shape[0], triton.cdiv(x0.shape[1], TILE))
        ddpm_noise_kernel[grid](
            x0, alpha_bar.contiguous(), t.contiguous(), noised, eps, x0.shape[1], seed, offset,
            TILE=TILE,
        )  # fmt: skip
    return noised, eps


def ddpm_step(
    x: torch.Tensor,
    eps: torch.Tensor,
    alpha_bar: torch.Tensor,
    t: torch.Tensor,
    previous: torch.Tensor | None = None,
    sampler: str = "ddpm",
    eta: float = 0.0,
    clip: float = 0.0,
    seed: int = 0,
    offset: int = 0,
) -> torch.Tensor:
    x, eps, t = x.contiguous(), eps.contiguous(), t.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        grid = (x.shape[0], triton.cdiv(x.shape[1], TILE))
        given, ddim = previous is not None, sampler == "ddim"
        ddpm_step_kernel[grid](
            x, eps, alpha_bar.contiguous(), t, previous.contiguous() if given else t, y, x.shape[1],
            eta, eta * eta, 1 - eta * eta, clip, seed, offset,
            GIVEN=given, DDIM=ddim, CLIP=clip > 0, NOISE=not ddim or eta > 0, TILE=TILE,
        )  # fmt: skip
    return y
