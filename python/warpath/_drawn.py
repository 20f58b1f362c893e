"""Random ops with their seed in a tensor: NAME_drawn(Tensor seed, ...) beside NAME(..., *, int seed), for compiled graphs.

A number would be a constant of the graph, and every call of it would drop the same elements. A tensor is drawn at
every call, and the backward pass gets the same one.
"""

import functools

import torch

import warpath
from warpath import _autograd, _register

_library = torch.library.Library("warpath", "FRAGMENT")


# Of a tensor that decides nothing: an op without any is nobody's to dispatch.
_library.define("draw_seed(Tensor beside) -> Tensor", tags=torch.Tag.nondeterministic_seeded)


def _draw(_: torch.Tensor) -> torch.Tensor:
    return torch.empty((), dtype=torch.int64, device="cpu").random_()


_library.impl("draw_seed", _draw, "CompositeExplicitAutograd")


@torch.library.register_fake("warpath::draw_seed")
def _(_: torch.Tensor) -> torch.Tensor:
    return torch.empty((), dtype=torch.int64, device="cpu")


def seed(beside: torch.Tensor) -> torch.Tensor:
    """From torch's default generator, the CPU's: torch.manual_seed makes it repeatable, nothing waits for a GPU.

    An op of its own, because a compiler makes random numbers of its own from those of torch that it knows.
    """
    return torch.ops.warpath.draw_seed(beside)


@functools.cache
def define(name: str) -> torch._ops.OpOverload:
    """NAME_drawn: the schema, the result and the gradient of NAME, with the seed as the first tensor."""
    op = warpath._ops[name]
    told = next(part for part in op.schema.split(", ") if part.startswith("int seed="))
    inputs = op.schema.replace(f", {told}", "", 1).partition("(")[2]
    _library.define(f"{name}_drawn(Tensor seed, {inputs}")
    overload = getattr(torch.ops.warpath, f"{name}_drawn").default

    def kernel(seed, *tensors, **named):
        return op.overload(*tensors, seed=int(seed), **named)

    def fake(_, *tensors, **named):
        return _register.empty_result(op, tensors, named)

    gradient = _autograd.LazyGradient(op, warpath._ops, _Functions())

    def setup(ctx, inputs, keyword_only_inputs, output):
        ctx.tensors_from = 1
        gradient.setup(ctx, inputs[1:], keyword_only_inputs | {"seed": inputs[0]}, output)

    def backward(ctx, *gradients):
        return None, *gradient.backward(ctx, *gradients)

    _library.impl(overload, kernel, "CompositeExplicitAutograd")
    torch.library.register_fake(overload, fake)
    torch.library.register_autograd(overload, backward, setup_context=setup)
    _register.register_autocast(op, overload, 1)
    if f"{name}_backward" in warpath._ops:
        define(f"{name}_backward")
    return overload


class _Functions(dict):
    """What a gradient calls: with its seed in a tensor, where it has one."""

    def __missing__(self, name: str):
        def call(*tensors, **named):
            if "seed" not in named:
                return getattr(warpath, name)(*tensors, **named)
            return define(name)(named.pop("seed"), *tensors, **named)

        return call
