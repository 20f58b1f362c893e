"""`warpath image`: its pixels against the formulas of the ops, in files of every kind; and files that are no pictures."""

import io
import json
import os
import struct
import subprocess
from pathlib import Path

import formulas as f
import numpy as np
import pytest
from PIL import Image

PROGRAM = os.environ.get("WARPATH_PROGRAM", str(Path(__file__).parents[2] / "build/bin/warpath"))
# cuda: the same tests on a GPU.
BACKEND = os.environ.get("WARPATH_BACKEND", "simt")
RANDOM = np.random.default_rng(7)


def run(*words, cwd: Path) -> subprocess.CompletedProcess:
    command = [PROGRAM, "image", *map(str, words), "--backend", BACKEND]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=60)


def image(folder: Path, data: bytes, *steps, name: str = "in.png") -> np.ndarray:
    """The pixels after the steps."""
    (folder / name).write_bytes(data)
    done = run(name, *steps, "--output", "out.png", cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return f.read_png((folder / "out.png").read_bytes())


def noise(height: int, width: int, channels: int, dtype=np.uint8) -> np.ndarray:
    return RANDOM.integers(0, np.iinfo(dtype).max + 1, (height, width, channels), dtype)


def test_steps_are_the_ops(tmp_path):
    x = noise(31, 45, 3)
    data = f.png_of(x)
    assert np.array_equal(image(tmp_path, data, "grayscale")[..., 0], f.grey(x))
    assert np.array_equal(image(tmp_path, data, "blur:5"), f.blur_bytes(x, 5))
    box = image(tmp_path, data, "blur:9:box:border=zero")
    assert np.array_equal(box, f.blur_bytes(x, 9, "box", "zero"))
    got = image(tmp_path, data, "blur:size=7:sigma=1.5:clamp")
    assert np.array_equal(got, f.blur_bytes(x, 7, border="clamp", sigma=1.5))
    assert np.array_equal(image(tmp_path, data, "resize:20x50"), f.resize_bytes(x, 20, 50))
    got = image(tmp_path, data, "resize:40%:antialias=false")
    assert np.array_equal(got, f.resize_bytes(x, 18, 12, antialias=False))
    chain = image(tmp_path, data, "resize:64x40", "grayscale", "blur:3", "blur:3:box")
    small = f.grey(f.resize_bytes(x, 64, 40))[..., None]
    assert np.array_equal(chain, f.blur_bytes(f.blur_bytes(small, 3), 3, "box"))


def test_augment(tmp_path):
    x = noise(24, 30, 3)
    quiet = "rotation=0:brightness=0:contrast=0:saturation=0"
    flipped = image(tmp_path, f.png_of(x), f"augment:flip=1:{quiet}")
    assert np.array_equal(flipped, x[:, ::-1])
    crop = image(tmp_path, f.png_of(x), f"augment:flip=0:seed=4:crop=20x10:{quiet}")
    corners = np.lib.stride_tricks.sliding_window_view(x, (10, 20, 3)).reshape(-1, 10, 20, 3)
    assert (corners == crop).all((1, 2, 3)).sum() == 1
    torch, warpath = pytest.importorskip("torch"), pytest.importorskip("warpath")
    named = {"seed": 3, "rotation": 20, "brightness": 0.4, "contrast": 0.4, "saturation": 0.4}
    like, unit = torch.empty(24, 30), (torch.zeros(3), torch.ones(3))
    y = warpath.augment(torch.from_numpy(x.copy())[None], like, *unit, cut=7, **named)[0]
    got = image(tmp_path, f.png_of(x), "augment:seed=3:rotation=20:cut=7")
    assert np.array_equal(got, (y.permute(1, 2, 0) * 255).round().to(torch.uint8).numpy())
    # Alpha moves as the colours do, and is no colour.
    rgba = np.concatenate([x, x[..., :1]], 2)
    got = image(tmp_path, f.png_of(rgba), f"augment:seed=3:crop=50%:padding=3:{quiet}")
    assert got.shape == (12, 15, 4) and np.array_equal(got[..., 0], got[..., 3])


def test_16_bits_and_alpha(tmp_path):
    x = noise(17, 23, 3, np.uint16)
    got = image(tmp_path, f.png_of(x), "blur:5")
    assert got.dtype.itemsize == 2
    assert np.abs(got - f.blur_float(x.astype(float), 5)).max() <= 0.51
    got = image(tmp_path, f.png_of(x), "grayscale")[..., 0].astype(float)
    assert np.abs(got - x @ np.array([0.299, 0.587, 0.114])).max() <= 0.51
    # A transparent pixel's colour does not reach its neighbours: colours are weighted by alpha.
    x = noise(20, 25, 4)
    x[5:9, 5:9, 3] = 0
    got = image(tmp_path, f.png_of(x), "resize:13x10").astype(float)
    alpha = x[..., 3:].astype(float)
    mean = f.resize_float(np.concatenate([x[..., :3] * alpha, alpha], 2), 13, 10)
    seen = mean[..., 3] > 8
    assert np.abs(got[..., 3] - mean[..., 3]).max() <= 0.51
    wanted = mean[..., :3] / np.maximum(mean[..., 3:], 1)
    assert np.abs(got[..., :3] - wanted)[seen].max() <= 0.51
    grey = image(tmp_path, f.png_of(x), "grayscale")
    assert np.array_equal(grey[..., 0], f.grey(x)) and np.array_equal(grey[..., 1], x[..., 3])
    opaque = np.concatenate([x[..., :3], np.full_like(x[..., :1], 255)], 2)
    assert np.array_equal(image(tmp_path, f.png_of(opaque), "blur:3"), f.blur_bytes(opaque, 3))


def test_every_kind_of_png(tmp_path):
    """Palettes, single bits, interlaced rows: blur:1 leaves every pixel as it is."""
    colours = noise(1, 4, 3)[0]
    palette = f.chunk(b"PLTE", colours.tobytes())
    rows = [bytes([0b00011011, 0b11100100]), bytes([0b00000000, 0b01010101])]
    at = np.array([[0, 1, 2, 3, 3, 2, 1], [0, 0, 0, 0, 1, 1, 1]])
    got = image(tmp_path, f.png(7, rows, 2, 3, palette), "blur:1")
    assert np.array_equal(got, colours[at])
    clear = f.chunk(b"tRNS", bytes([255, 0]))  # colour 1 is transparent
    got = image(tmp_path, f.png(7, rows, 2, 3, palette + clear), "grayscale")
    assert np.array_equal(got[..., 1], np.where(at == 1, 0, 255))
    got = image(tmp_path, f.png(5, [bytes([0b10100000]), bytes([0b01011000])], 1, 0), "blur:1")
    assert np.array_equal(got[..., 0], [[255, 0, 255, 0, 0], [0, 255, 0, 255, 255]])
    for channels in (1, 2):
        x = noise(9, 11, channels)
        x[..., 1:] = 255
        assert np.array_equal(image(tmp_path, f.png_of(x), "grayscale"), x)
        assert np.array_equal(image(tmp_path, f.png_of(x), "blur:3"), f.blur_bytes(x, 3))
    x = noise(1, 1, 3)
    assert image(tmp_path, f.png_of(x), "resize:3x2").tolist() == [[x[0, 0].tolist()] * 3] * 2


def jpeg(x: np.ndarray, **how) -> bytes:
    file = io.BytesIO()
    Image.fromarray(x).save(file, "JPEG", quality=95, **how)
    return file.getvalue()


def smooth(height: int, width: int) -> np.ndarray:
    y, x = np.mgrid[0:height, 0:width]
    return np.stack([x * 200 // width, y * 220 // height, (x + y) * 2], 2).astype(np.uint8)


def test_jpeg(tmp_path):
    x = smooth(40, 56)
    decoded = np.asarray(Image.open(io.BytesIO(jpeg(x))))
    got = image(tmp_path, jpeg(x), "blur:1", name="in.jpg")
    assert np.abs(got.astype(int) - decoded).max() <= 2  # two decoders may round differently
    grey = image(tmp_path, jpeg(x[..., 0]), "blur:1", name="in.jpg")
    assert grey.shape == (40, 56, 1) and np.abs(grey[..., 0].astype(int) - x[..., 0]).mean() < 2
    for name in ("out.jpg", "OUT.JPEG"):
        assert run("in.jpg", "blur:1", "--output", name, cwd=tmp_path).returncode == 0
        written = Image.open(tmp_path / name)
        assert written.format == "JPEG" and written.size == (56, 40)
    # What a JPEG cannot hold: white is behind a transparent picture.
    clear = np.concatenate([x, np.zeros_like(x[..., :1])], 2)
    (tmp_path / "clear.png").write_bytes(f.png_of(clear))
    done = run("clear.png", "blur:1", "--output", "white.jpg", cwd=tmp_path)
    assert done.returncode == 0 and "no alpha" in done.stdout
    assert (np.asarray(Image.open(tmp_path / "white.jpg")) >= 254).all()
    inks = Image.fromarray(x).convert("CMYK")
    file = io.BytesIO()
    inks.save(file, "JPEG", quality=95)
    got = image(tmp_path, file.getvalue(), "blur:1", name="in.jpg")
    assert np.abs(got.astype(int) - np.asarray(inks.convert("RGB"))).mean() < 3


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_camera_may_be_turned(tmp_path, orientation):
    x = smooth(16, 24)
    x[:8, :8] = 255  # one corner differs
    exif = Image.Exif()
    exif[0x0112] = orientation
    from PIL import ImageOps

    data = jpeg(x, exif=exif)
    wanted = np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(data)))).astype(int)
    got = image(tmp_path, data, "blur:1", name="in.jpg")
    assert got.shape == wanted.shape and np.abs(got - wanted).max() <= 2


def test_names_and_words(tmp_path):
    """New files beside the input, none overwritten; the drawn picture; --json."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/photo.png").write_bytes(f.png_of(noise(8, 9, 3)))
    before = (tmp_path / "a/photo.png").read_bytes()
    for _ in range(3):
        assert run("a/photo.png", "grayscale", "blur:3", cwd=tmp_path).returncode == 0
    stem = "photo-grayscale-blur"
    names = {p.name for p in (tmp_path / "a").iterdir()}
    assert names == {"photo.png", f"{stem}.png", f"{stem}-2.png", f"{stem}-3.png"}
    assert (tmp_path / "a/photo.png").read_bytes() == before
    done = run("a/photo.png", "resize:50%", "--json", "-o", "small.png", cwd=tmp_path)
    told = json.loads(done.stdout)
    assert told["input"]["width"] == 9 and told["output"]["width"] == 5
    assert told["steps"][0]["rungs"][0].startswith("resize/") and told["backend"] == BACKEND
    assert run("a/photo.png", "blur:3", "-o", "small.png", cwd=tmp_path).returncode == 0  # replaced
    assert {p.name for p in tmp_path.iterdir()} == {"a", "small.png"}
    done = run(cwd=tmp_path)
    assert done.returncode == 0 and "warpath-image.png" in done.stdout
    sheet = Image.open(tmp_path / "warpath-image.png")
    assert sheet.size == (966, 726)
    drawn, grey = np.asarray(sheet)[:360, :480], np.asarray(sheet)[:360, 486:]
    assert np.array_equal(f.grey(drawn), grey[..., 0]) and drawn.std() > 30
    done = run("resize:10x8", "-o", "-.png", cwd=tmp_path)
    assert done.returncode == 0 and Image.open(tmp_path / "-.png").size == (10, 8)


GOOD = f.png_of(smooth(30, 40))
PHOTO = jpeg(smooth(30, 40))
BAD = {
    "empty": (b"", "is empty"),
    "text": (b"this is a text\n" * 9, "neither a PNG nor a JPEG file"),
    "gif": (b"GIF89a" + bytes(50), "neither a PNG nor a JPEG file"),
    "only a signature": (f.SIGNATURE, "ends too early"),
    "half a PNG": (GOOD[: len(GOOD) // 2], "ends too early"),
    "no end": (GOOD[:-12], "ends too early"),
    "a wrong bit": (GOOD[:60] + bytes([GOOD[60] ^ 16]) + GOOD[61:], "not a whole PNG file"),
    "no pixels": (f.SIGNATURE + f.header(0, 5) + f.chunk(b"IEND", b""), "not a whole PNG file"),
    "2^31 wide": (
        f.SIGNATURE + f.header(1 << 31, 1) + f.chunk(b"IDAT", b""),
        "not a whole PNG file",
    ),
    "2^31 - 1 wide": (
        f.SIGNATURE + f.header((1 << 31) - 1, (1 << 31) - 1) + f.chunk(b"IDAT", b"x"),
        "2147483647 x 2147483647 pixels are too many",
    ),
    "a bomb": (
        f.SIGNATURE + f.header(60000, 60000) + f.chunk(b"IDAT", b"x"),
        "60000 x 60000 pixels are too many",
    ),
    "no palette": (f.png(4, [bytes(4)], 8, 3), "not a whole PNG file"),
    "half a JPEG": (PHOTO[: len(PHOTO) // 2], "not a whole JPEG file: Premature end"),
    "a JPEG's head": (PHOTO[:20], "not a whole JPEG file"),
    "a JPEG of zeros": (b"\xff\xd8\xff" + bytes(500), "not a whole JPEG file"),
    "EXIF of nothing": (
        PHOTO[:2] + b"\xff\xe1" + struct.pack(">H", 14) + b"Exif\0\0II*\0\xff\xff" + PHOTO[200:],
        "not a whole JPEG file",
    ),
}


def refused(done: subprocess.CompletedProcess, words: str) -> None:
    assert done.returncode == 2 and done.stdout == "", done
    assert done.stderr.startswith("warpath: ") and done.stderr.count("\n") == 1
    assert words in done.stderr, done.stderr


@pytest.mark.parametrize("name", BAD)
def test_no_picture(tmp_path, name):
    data, words = BAD[name]
    (tmp_path / "in.png").write_bytes(data)
    refused(run("in.png", "grayscale", cwd=tmp_path), words)
    assert [p.name for p in tmp_path.iterdir()] == ["in.png"]


def test_every_truncation_is_refused(tmp_path):
    """Cut anywhere: one line, never a crash. The last bytes of a JPEG are its end marker."""
    for data in (GOOD, PHOTO):
        for length in range(1, len(data) - 2, len(data) // 9):
            (tmp_path / "in").write_bytes(data[:length])
            done = run("in", "blur:1", "-o", "out.png", cwd=tmp_path)
            assert done.returncode == 2 and done.stderr.count("\n") == 1, (length, done)


WORDS = {
    "no such file": (["none.png", "blur:5"], "none.png: no such file"),
    "a folder": ([".", "blur:5"], "is a folder"),
    "a device": (["/dev/zero", "blur:5"], "is not a plain file"),
    "no steps": (["in.png"], "what should be done with it?"),
    "unknown step": (["in.png", "blurr:5"], "did you mean 'blur'"),
    "unknown option": (["in.png", "blur:5:gausian"], "did you mean 'gaussian'"),
    "unknown name": (["in.png", "blur:sgma=2"], "did you mean 'sigma'"),
    "no option": (["in.png", "grayscale:3"], "grayscale has no options"),
    "even": (["in.png", "blur:4"], "size must be odd, from 1 to 127"),
    "too wide": (["in.png", "blur:999"], "size must be odd, from 1 to 127"),
    "no number": (["in.png", "blur:size=x"], "size takes a whole number, not 'x'"),
    "not whole": (["in.png", "blur:2.5"], "size takes a whole number"),
    "not finite": (["in.png", "blur:5:sigma=nan"], "sigma takes a number"),
    "no size": (["in.png", "resize"], "resize needs a size"),
    "size 0": (["in.png", "resize:0x5"], "resize:0x5: "),
    "huge": (["in.png", "resize:900000x900000"], "pixels are too many"),
    "percent": (["in.png", "resize:-5%"], "resize:-5%: "),
    "flip": (["in.png", "augment:flip=2"], "flip must be between 0 and 1"),
    "crop": (["in.png", "augment:crop=99x99"], "does not fit into"),
    "empty word": (["in.png", "blur:"], "blur:: "),
    "ending": (["in.png", "blur:5", "-o", "out.gif"], "must end with .png, .jpg or .jpeg"),
    "itself": (["in.png", "blur:5", "-o", "./in.png"], "is the input"),
    "no folder": (["in.png", "blur:5", "-o", "none/out.png"], "cannot write none/out.png"),
    "into a folder": (["in.png", "blur:5", "-o", "d.png"], "is a folder"),
    "flag": (["in.png", "--blur"], "see --help"),
}


@pytest.mark.parametrize("name", WORDS)
def test_wrong_words(tmp_path, name):
    words, says = WORDS[name]
    (tmp_path / "in.png").write_bytes(GOOD)
    (tmp_path / "d.png").mkdir()
    refused(run(*words, cwd=tmp_path), says)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["d.png", "in.png"]
    assert (tmp_path / "in.png").read_bytes() == GOOD


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable(tmp_path):
    (tmp_path / "in.png").write_bytes(GOOD)
    (tmp_path / "in.png").chmod(0)
    refused(run("in.png", "blur:5", cwd=tmp_path), "cannot read in.png: Permission denied")
