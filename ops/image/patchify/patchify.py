"""Patchify and unpatchify in Triton: one program per run of a row of patches.

As 02_vector.cu: a program takes elements in the order of the patches and computes where each one is in the image. Which
elements of a program are neighbours on the other side, the compiler cannot know; 03_shared.cu goes through shared memory.
"""

import torch
import triton
import triton.language as tl

TILE = 1024


@triton.jit
def patchify_kernel(
    image, patches, channels, rows, height, cols, width, BACK: tl.constexpr, TILE: tl.constexpr
):  # fmt: skip
    band = tl.program_id(0).to(tl.int64)
    at = tl.program_id(1) * TILE + tl.arange(0, TILE)
    size = channels * height * cols * width
    w, rest = at % width, at // width
    h, rest = rest % height, rest // height
    c, s = rest % channels, rest // channels
    b, r = band // rows, band % rows
    place = (((b * channels + c) * rows + r) * height + h) * (cols * width) + s * width + w
    if BACK:
        values = tl.load(patches + band * size + at, mask=at < size)
        tl.store(image + place, values, mask=at < size)
    else:
        values = tl.load(image + place, mask=at < size)
        tl.store(patches + band * size + at, values, mask=at < size)


def _run(image: torch.Tensor, patches: torch.Tensor, back: bool) -> None:
    batch, channels, rows, height, cols, width = image.shape
    if image.numel():
        grid = (batch * rows, triton.cdiv(channels * height * cols * width, TILE))
        patchify_kernel[grid](
            image, patches, channels, rows, height, cols, width, BACK=back, TILE=TILE
        )


def patchify(x: torch.Tensor) -> torch.Tensor:
    b, c, r, h, s, w = x.shape
    y = torch.empty(b, r, s, c, h, w, dtype=x.dtype, device=x.device)
    _run(x.contiguous(), y, False)
    return y


def unpatchify(y: torch.Tensor) -> torch.Tensor:
    b, r, s, c, h, w = y.shape
    x = torch.empty(b, c, r, h, s, w, dtype=y.dtype, device=y.device)
    _run(x, y.contiguous(), True)
    return x
