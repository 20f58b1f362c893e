"""The image ops as their contracts define them, in float64 or whole numbers, and PNG files of every kind."""

import struct
import zlib

import numpy as np


def grey(x: np.ndarray) -> np.ndarray:
    r, g, b = (x[..., c].astype(np.int64) for c in range(3))
    return ((19595 * r + 38470 * g + 7471 * b + 32768) >> 16).astype(np.uint8)


def reflected(i: np.ndarray, n: int) -> np.ndarray:
    if n == 1:
        return np.zeros_like(i)
    i = np.abs(i) % (2 * n - 2)
    return np.where(i < n, i, 2 * n - 2 - i)


def gaussian(size: int, sigma: float = 0.0) -> np.ndarray:
    half = (size - 1) / 2
    d = np.arange(size) - size // 2
    w = np.exp(-d * d / (2 * (sigma or 0.3 * (half - 1) + 0.8) ** 2))
    return w / w.sum()


def along(x: np.ndarray, weights: np.ndarray, axis: int, border: str = "reflect") -> np.ndarray:
    """The weighted sum of neighbours along one axis."""
    n, radius, total = x.shape[axis], len(weights) // 2, 0
    for k, w in enumerate(weights):
        at = np.arange(n) + k - radius
        outside = (at < 0) | (at >= n)
        place = reflected(at, n) if border == "reflect" else np.clip(at, 0, n - 1)
        part = np.take(x, place, axis)
        if border == "zero":
            mask = np.expand_dims(~outside, tuple(a for a in range(x.ndim) if a != axis))
            part = part * mask
        total = total + part * w
    return total


def blur_bytes(x: np.ndarray, size: int, kind="gaussian", border="reflect", sigma=0.0):
    x = x.astype(np.int64)
    if kind == "box":
        ones = np.ones(size, np.int64)
        sums = along(along(x, ones, 0, border), ones, 1, border)
        return ((sums + size * size // 2) // (size * size)).astype(np.uint8)
    units = np.floor(gaussian(size, sigma) * 4096 + 0.5).astype(np.int64)
    units[size // 2] += 4096 - units.sum()
    sums = along(along(x, units, 0, border), units, 1, border)
    return ((sums + (1 << 23)) >> 24).astype(np.uint8)


def blur_float(x: np.ndarray, size: int) -> np.ndarray:
    w = gaussian(size)
    return along(along(x, w, 0), w, 1)


def resize_weights(n: int, out: int, antialias: bool = True) -> np.ndarray:
    """(out, n), whole numbers."""
    o, j = np.arange(out)[:, None], np.arange(n)[None]
    reach = 2 * (max(n, out) if antialias else out)
    return np.maximum(0, reach - np.abs((2 * j + 1) * out - (2 * o + 1) * n))


def byte_units(weights: np.ndarray) -> np.ndarray:
    sums, total = weights.cumsum(1), weights.sum(1, keepdims=True)
    units = ((sums << 13) + total) // (2 * total)
    return np.diff(units, axis=1, prepend=0)


def resize_bytes(x: np.ndarray, width: int, height: int, antialias: bool = True) -> np.ndarray:
    rows = byte_units(resize_weights(x.shape[0], height, antialias))
    cols = byte_units(resize_weights(x.shape[1], width, antialias))
    sums = np.einsum("oh,hwc,pw->opc", rows, x.astype(np.int64), cols)
    return ((sums + (1 << 23)) >> 24).astype(np.uint8)


def resize_float(x: np.ndarray, width: int, height: int) -> np.ndarray:
    rows, cols = resize_weights(x.shape[0], height), resize_weights(x.shape[1], width)
    rows, cols = rows / rows.sum(1, keepdims=True), cols / cols.sum(1, keepdims=True)
    return np.einsum("oh,hwc,pw->opc", rows, x, cols)


# --- files ------------------------------------------------------------------------------------------------------------


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width: int, height: int, bits: int = 8, colour: int = 2) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))


SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png(width: int, rows: list[bytes], bits: int, colour: int, more: bytes = b"") -> bytes:
    """A PNG file of rows whose bytes are packed already. `more`: chunks before the pixels."""
    data = zlib.compress(b"".join(b"\0" + r for r in rows))
    top = SIGNATURE + header(width, len(rows), bits, colour)
    return top + more + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def png_of(x: np.ndarray) -> bytes:
    """8 or 16 bits; one to four channels."""
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[x.shape[2]]
    big = x.astype(x.dtype.newbyteorder(">"))
    return png(x.shape[1], [r.tobytes() for r in big], 8 * x.itemsize, colour)


def read_png(data: bytes) -> np.ndarray:
    """What the program wrote: (height, width, channels), 8 or 16 bits. Undoes the five filters by itself."""
    assert data[:8] == SIGNATURE
    at, packed = 8, b""
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        assert data[at + 8 + size : at + 12 + size] == struct.pack(">I", zlib.crc32(kind + body))
        if kind == b"IHDR":
            width, height, bits, colour, *rest = struct.unpack(">IIBBBBB", body)
            assert rest == [0, 0, 0]
        packed += body if kind == b"IDAT" else b""
        at += 12 + size
    channels = {0: 1, 4: 2, 2: 3, 6: 4}[colour]
    pixel = channels * bits // 8
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * pixel)
    # A row of zeros above, a pixel of zeros to the left.
    rows = np.zeros((height + 1, (width + 1) * pixel), np.int64)
    for y in range(height):
        above, row = rows[y], rows[y + 1]
        for i in range(pixel, row.size):
            a, b, c = row[i - pixel], above[i], above[i - pixel]
            distances = [abs(b - c), abs(a - c), abs(a + b - 2 * c)]
            nearest = (a, b, c)[distances.index(min(distances))]
            guess = (0, a, b, (a + b) // 2, nearest)[raw[y, 0]]
            row[i] = (int(raw[y, 1 + i - pixel]) + guess) % 256
    pixels = rows[1:, pixel:].astype(np.uint8).tobytes()
    return np.frombuffer(pixels, ">u2" if bits == 16 else np.uint8).reshape(height, width, channels)
