"""Draws what the two consumer groups and the tensor cores of a block do in rungs 08, 09 and 10.

    schedule_svg.py > schedule.svg

The bars are a model, not a measurement: a product and the softmax of a tile take the times below, and the tensor cores run
products in the order in which they were issued.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PRODUCT, SOFTMAX = 2.0, 5.0  # of 64 queries and one tile of keys
SHOWN = 36.0  # time across
TILES = 12  # per group, more than are shown

LEFT, WIDTH, RIGHT, ROW, STEP, PANEL = 96, 820, 12, 22, 27, 136
# Per group. Readable with white text, on light and on dark pages.
COLORS = {
    "QK": ("#2a63a8", "#5a8fd0"),
    "PV": ("#157a5f", "#3f9f82"),
    "softmax": ("#a8590f", "#c98238"),
}
TEXT = "#7d8590"


@dataclass
class Bar:
    row: float  # 0: tensor cores, 1 and 2: the groups
    height: float
    begin: float
    end: float
    what: str
    group: int
    tile: int


@dataclass
class Block:
    bars: list[Bar] = field(default_factory=list)
    free: float = 0  # when the tensor cores are

    def product(self, what: str, group: int, tile: int, issued: float) -> float:
        """Both return when what they begin ends."""
        begin = max(issued, self.free)
        self.free = begin + PRODUCT
        self.bars.append(Bar(0, 1, begin, self.free, what, group, tile))
        return self.free

    def softmax(self, group: int, tile: int, begin: float) -> float:
        self.bars.append(Bar(1 + group, 1, begin, begin + SOFTMAX, "softmax", group, tile))
        return begin + SOFTMAX


def in_step() -> list[Bar]:
    """Both groups issue at the same time and share the tensor cores."""
    block, now = Block(), 0.0
    for tile in range(TILES):
        for what, of in [("PV", tile - 1), ("QK", tile)]:
            if of < 0:
                continue
            for group in (0, 1):
                block.bars.append(Bar(group / 2, 0.5, now, now + 2 * PRODUCT, what, group, of))
            now += 2 * PRODUCT
        now = max(block.softmax(group, tile, now) for group in (0, 1))
    return block.bars


def in_turns(overlapped: bool) -> list[Bar]:
    block = Block()
    ready = [block.softmax(group, 0, block.product("QK", group, 0, 0)) for group in (0, 1)]
    for tile in range(1, TILES):
        for group in (0, 1):
            issued = ready[group]
            if overlapped:  # the scores first, and only they are waited for
                scores = block.product("QK", group, tile, issued)
                values = block.product("PV", group, tile - 1, issued)
                ready[group] = max(block.softmax(group, tile, scores), values)
            else:
                block.product("PV", group, tile - 1, issued)
                ready[group] = block.softmax(group, tile, block.product("QK", group, tile, issued))
    return block.bars


def drawn(bars: list[Bar], top: float) -> list[str]:
    lines = []
    for bar in bars:
        if bar.begin >= SHOWN:
            continue
        scale = WIDTH / SHOWN
        x, width = LEFT + bar.begin * scale, (min(bar.end, SHOWN) - bar.begin) * scale
        y, height = top + bar.row * STEP, bar.height * ROW
        if bar.height < 1:  # halves of one row touch
            y = top + bar.row * ROW
        lines.append(
            f'<rect x="{x + 0.5:.1f}" y="{y:.1f}" width="{width - 1:.1f}" height="{height:.1f}" '
            f'rx="2" fill="{COLORS[bar.what][bar.group]}"/>'
        )
        label = f"{bar.what} {bar.tile}"
        if width > 6.5 * len(label):
            size = 12 if bar.height == 1 else 9.5
            lines.append(
                f'<text x="{x + width / 2:.1f}" y="{y + height / 2 + size * 0.35:.1f}" '
                f'font-size="{size}" fill="#fff" text-anchor="middle">{label}</text>'
            )
    return lines


def main() -> None:
    panels = [
        (
            "08: both groups in step. During the softmax the tensor cores have nothing to do.",
            in_step(),
        ),
        ("09: in turns. One group's softmax runs during the other's products.", in_turns(False)),
        ("10: in turns, QK first. A group's softmax also runs during its own PV.", in_turns(True)),
    ]
    height = PANEL * len(panels) + 30
    box = f"0 0 {LEFT + WIDTH + RIGHT} {height}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif">',
        "<title>Products and softmax of two consumer groups over time, in three rungs</title>",
    ]
    for number, (title, bars) in enumerate(panels):
        top = number * PANEL + 40
        lines.append(f'<text x="8" y="{top - 14}" font-size="14" fill="{TEXT}">{title}</text>')
        for row, name in enumerate(["tensor cores", "group 0", "group 1"]):
            y = top + row * STEP
            lines.append(
                f'<text x="8" y="{y + 15}" font-size="12" fill="{TEXT}">{name}</text>'
                f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{ROW}" fill="{TEXT}" '
                'fill-opacity="0.13"/>'
            )
        lines += drawn(bars, top)
    y = PANEL * len(panels) + 12
    lines.append(
        f'<text x="8" y="{y}" font-size="12" fill="{TEXT}">Time runs to the right. Numbers are tiles '
        "of keys; dark bars belong to group 0, light ones to group 1. Lengths are a model, not a "
        "measurement.</text>"
    )
    print("\n".join([*lines, "</svg>"]))


if __name__ == "__main__":
    main()
