"""The image ops against the libraries whose definitions they take."""

import pytest
import torch
import torch.nn.functional as F
import warpath
from warpath import nn


def pixels(*shape) -> torch.Tensor:
    return torch.randint(
        0, 256, shape, dtype=torch.uint8, generator=torch.Generator().manual_seed(3)
    )


def test_grayscale_is_pillows():
    image = pytest.importorskip("PIL.Image")
    x = pixels(31, 47, 3)
    grey = torch.frombuffer(
        bytearray(image.fromarray(x.numpy()).convert("L").tobytes()), dtype=torch.uint8
    )
    assert torch.equal(warpath.grayscale(x), grey.view(31, 47))


@pytest.mark.parametrize("antialias", [True, False])
@pytest.mark.parametrize("size", [(5, 7), (20, 24), (41, 30), (9, 60)])
def test_resize_is_torchs(size, antialias):
    x = torch.randn(2, 20, 24, 3, generator=torch.Generator().manual_seed(1))
    like = torch.empty(1, 1).expand(size)  # no memory
    wanted = F.interpolate(x.permute(0, 3, 1, 2), size=size, mode="bilinear", antialias=antialias)
    got = warpath.resize(x, like, antialias=antialias)
    torch.testing.assert_close(got.permute(0, 3, 1, 2), wanted, rtol=1e-5, atol=1e-5)
    bytes_ = pixels(2, 20, 24, 3)
    wanted = F.interpolate(
        bytes_.permute(0, 3, 1, 2).float(), size=size, mode="bilinear", antialias=antialias
    )
    got = warpath.resize(bytes_, like, antialias=antialias).permute(0, 3, 1, 2).float()
    assert (
        got - wanted
    ).abs().max() <= 0.75  # half for the rounding, the rest for weights of 12 bits


@pytest.mark.parametrize("size", [3, 5, 15])
def test_blur_is_a_convolution(size):
    x = torch.randn(2, 20, 24, 3, generator=torch.Generator().manual_seed(2))
    k = torch.arange(size, dtype=torch.float64) - size // 2
    w = torch.exp(-k * k / (2 * 1.7**2)).float()
    w = (w / w.sum()).outer(w / w.sum())
    planes = F.pad(x.permute(0, 3, 1, 2), (size // 2,) * 4, mode="reflect").reshape(
        6, 1, *(s + size - 1 for s in (20, 24))
    )
    wanted = F.conv2d(planes, w[None, None]).view(2, 3, 20, 24).permute(0, 2, 3, 1)
    torch.testing.assert_close(warpath.blur(x, size=size, sigma=1.7), wanted, rtol=1e-5, atol=1e-5)
    assert torch.equal(
        warpath.blur(torch.full_like(pixels(1, 9, 9, 3), 255), size=size),
        pixels(1, 9, 9, 3).fill_(255),
    )


def augment(x, height, width, **named):
    unit = torch.zeros(3), torch.ones(3)
    return warpath.augment(x, torch.empty(height, width), *unit, **named)


def test_augment_crops_and_flips():
    """Every result is a piece of its image, mirrored or not; all corners occur."""
    x = pixels(64, 6, 7, 3)
    y = (augment(x, 4, 5, seed=5) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    found = set()
    for image, crop in zip(x, y, strict=True):
        corners = [
            (top, left, mirrored)
            for top in range(3)
            for left in range(3)
            for mirrored in (False, True)
            if torch.equal(
                crop.flip(1) if mirrored else crop, image[top : top + 4, left : left + 5]
            )
        ]
        assert len(corners) == 1
        found.add(corners[0])
    assert len(found) >= 15  # of 18, by 64 draws


def test_augment_twice_is_the_image():
    x = pixels(3, 8, 8, 3)
    once = (
        (augment(x, 8, 8, flip=1.0) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous()
    )
    assert torch.equal(once, x.flip(2))
    twice = (augment(once, 8, 8, flip=1.0) * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
    assert torch.equal(twice, x)


def test_augment_normalises_and_cuts():
    x = pixels(5, 16, 16, 3)
    module = nn.Augment(16, 16, flip=0.0, cut=5)
    y = module(x, seed=3)
    plain = (x.permute(0, 3, 1, 2).float() / 255 - module.mean.view(3, 1, 1)) / module.std.view(
        3, 1, 1
    )
    gone = (y == 0).all(1)
    assert ((gone.sum((1, 2)) > 0) & (gone.sum((1, 2)) <= 25)).all()
    torch.testing.assert_close(y, torch.where(gone[:, None], 0.0, plain), rtol=1e-5, atol=1e-5)


def test_patches_are_unfolded():
    x = torch.randn(2, 3, 12, 20, requires_grad=True)
    y = nn.Patchify(4)(x)
    assert torch.equal(y, F.unfold(x, 4, stride=4).transpose(1, 2))
    assert torch.equal(nn.Unpatchify(4, 12, 20)(y), x)
    weight = torch.randn_like(y)
    (y * weight).sum().backward()
    assert torch.equal(x.grad, nn.Unpatchify(4, 12, 20)(weight))


def test_diffusion_step_and_noise():
    """DDIM with the true noise goes back to the image in one step; ddpm_noise draws what noise draws."""
    model = nn.Diffusion(100)
    x0, t = torch.randn(4, 3, 8, 8), torch.tensor([3, 40, 70, 99])
    noised, eps = model.noise(x0, t, seed=11, offset=2)
    torch.testing.assert_close(eps, warpath.noise(x0, seed=11, offset=2))
    back = model(noised, eps, t, torch.full_like(t, -1), sampler="ddim", seed=0)
    torch.testing.assert_close(back, x0, rtol=1e-4, atol=1e-4)


def test_augment_is_the_formulas():
    """Rotation as torchvision has it (a grid of places, bilinear, zeros outside), then brightness and saturation as its
    blends with black and with the grey, contrast as the blend with the middle grey; by the draws of noise's stream."""
    batch, height, width, degrees, strength = 6, 20, 26, 25.0, 0.4
    x = pixels(batch, height + 4, width + 6, 3)
    named = {"brightness": strength, "contrast": strength, "saturation": strength}
    y = augment(x, height, width, seed=8, offset=3, rotation=degrees, padding=1, **named)
    # Four words per call of the generator, four calls set aside per image.
    u = warpath.noise(torch.empty(16 * batch), distribution="uniform", seed=8, offset=3)
    place, colour, _, _ = u.double().view(batch, 4, 4).unbind(1)
    planes = F.pad(x.permute(0, 3, 1, 2).double() / 255, (40, 40, 40, 40))
    for i in range(batch):
        top = int(place[i, 0] * (x.shape[1] + 2 - height + 1)) - 1
        left = int(place[i, 1] * (x.shape[2] + 2 - width + 1)) - 1
        signed = place[i, 3] * 2 if place[i, 3] < 0.5 else place[i, 3] * 2 - 2  # as int32
        angle = torch.deg2rad(degrees * signed)
        sides = (torch.arange(n, dtype=torch.float64) for n in (height, width))
        rows, cols = torch.meshgrid(*sides, indexing="ij")
        if place[i, 2] < 0.5:
            cols = width - 1 - cols
        my, mx = (height - 1) / 2, (width - 1) / 2
        sx = angle.cos() * (cols - mx) - angle.sin() * (rows - my) + mx + left + 40
        sy = angle.sin() * (cols - mx) + angle.cos() * (rows - my) + my + top + 40
        size = planes.shape[-2:]
        grid = torch.stack([(2 * sx + 1) / size[1] - 1, (2 * sy + 1) / size[0] - 1], -1)
        v = F.grid_sample(planes[i : i + 1], grid[None], align_corners=False)[0]
        factors = 1 + strength * (2 * colour[i] - 1)
        v = (v * factors[0]).clamp(0, 1)
        v = ((v - 0.5) * factors[1] + 0.5).clamp(0, 1)
        grey = (v * torch.tensor([0.299, 0.587, 0.114]).double()[:, None, None]).sum(0)
        v = (grey + factors[2] * (v - grey)).clamp(0, 1)
        torch.testing.assert_close(y[i].double(), v, rtol=0, atol=1e-4)
