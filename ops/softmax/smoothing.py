"""The one rule of label_smoothing, for every op that has it."""


def smoothed(args: tuple, named: dict) -> dict:
    share = named.get("label_smoothing", 0)
    if isinstance(share, (int, float)) and not 0 <= share <= 1:
        raise RuntimeError(f"argument 'label_smoothing' is {share}; it is a share, from 0 to 1")
    return named
