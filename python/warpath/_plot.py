"""Time against size, one line per library: every point is checked before it is timed."""

from pathlib import Path

from warpath import _cases, _compare, _rows
from warpath._contract import Op


def _sizes(op: Op) -> list[tuple[_cases.Case, dict[str, int], int]]:
    """One case, its longest dimension halved and doubled: what it is then, and its elements."""
    case, _ = _compare.choose_case(op, None, None)
    longest = max(case.dims, key=lambda name: case.dims[name])
    steps = range(-8, 1) if _rows.gpu() else range(-6, 3)
    points = []
    for step in steps:
        size = int(case.dims[longest] * 2.0**step)
        if size >= 1:
            elements = max(1, int(case.elements * 2.0**step))
            points.append((case, {longest: size}, elements))
    return points


def save(op: Op, dtype: str | None, rows: list[_rows.Row], folder: Path) -> list[str]:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        raise RuntimeError("--plot draws with matplotlib: pip install matplotlib") from None
    rows = [row for row in rows if not row.not_timed()]
    lines: dict[str, list[tuple[int, float]]] = {}
    method = ""
    for case, dims, elements in _sizes(op):
        case_data = _cases.CaseData(case, dtype or "f32", **dims)
        for row in rows:
            result = _compare.measure(row, op, case_data)
            if result.time_us is not None:
                lines.setdefault(row.name, []).append((elements, result.time_us))
                method = result.method
    if not lines:
        raise RuntimeError("nothing to plot: no row can be timed here")
    figure, axes = pyplot.subplots(figsize=(8, 5))
    for name, points in lines.items():
        axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set(xscale="log", yscale="log", xlabel="elements of all tensors", ylabel="microseconds")
    axes.set_title(f"{op.name}, {dtype or 'f32'}\n{method}", fontsize=9)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend()
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{op.name}.{kind}" for kind in ("png", "svg")]
    for file in files:
        figure.savefig(file, dpi=150)
    pyplot.close(figure)
    return [str(f) for f in files]
