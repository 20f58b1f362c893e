"""Sums the counts of `cc --xray` over the accesses of a launch, under the names of kernels.cu."""

from collections import defaultdict


def totals(launch):
    """{"ld": [requests, sectors], "lds": [requests, wavefronts], "atoms": [requests], ...}"""
    sums = defaultdict(lambda: [0, 0])
    for a in launch["accesses"]:
        space, kind = a["space"], a["kind"]
        if kind.startswith("bulk"):
            name = kind
        elif space == "shared":
            name = {"load": "lds", "store": "sts", "atomic": "atoms"}.get(kind, kind)
        elif space == "global":
            name = {"load": "ld", "async_load": "ld", "store": "st", "atomic": "red"}[kind]
        elif space == "constant":
            name = "ldc"
        elif space == "local":
            name = {"load": "ldl", "store": "stl"}.get(kind, kind)
        else:
            name = f"{space}_{kind}"
        unit = {"shared": "wavefronts", "constant": "addresses"}.get(space, "sectors")
        sums[name][0] += a["requests"]
        sums[name][1] += a[unit]
    return dict(sums)


def expected(text):
    """What the comments `counts:` say, by kernel: {"copy_f32": {"ld": [512, 2048], ...}}"""
    found, counts = {}, None
    for line in text.splitlines():
        if line.startswith("// counts:"):
            counts = {}
            for word in line.split(":", 1)[1].split():
                name, values = word.split("=")
                counts[name] = [int(v) for v in values.split(":")]
        elif line.startswith("__global__") and counts is not None:
            found[line.split("(")[0].split()[-1]] = counts
            counts = None
    return found
