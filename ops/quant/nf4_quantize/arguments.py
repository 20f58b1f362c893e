"""What no type tells of the arguments."""

import torch


def _grouped(args: tuple, named: dict) -> dict:
    """Without `groups`: a scale for 256 blocks, as the format has it."""
    w = args[0] if args else named.get("w")
    if "groups" in named or not isinstance(w, torch.Tensor) or w.dim() == 0:
        return named
    blocks = w.numel() // max(w.shape[-1], 1)
    return named | {"groups": (blocks + 255) // 256}


ARGUMENTS = {"nf4_quantize": _grouped}
