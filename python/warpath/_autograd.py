"""Gradients: an op NAME_backward is the gradient of NAME, or the op's folder brings one in autograd.py."""

import functools

import torch
from torch._library.autograd import Info, make_autograd_impl

from warpath import _folders
from warpath._contract import Op


def backward_of(op: Op, ops: dict[str, Op]) -> Op | None:
    """The op NAME_backward, when all it takes is at hand after the forward pass.

    By name: an input or output of the forward op, "d" + an output for a gradient that comes in,
    "d" + an input for one that goes out.
    """
    backward = ops.get(f"{op.name}_backward")
    if backward is None:
        return None
    tensors = [t.name for t in (*op.tensors, *op.outputs)] + [f"d{o.name}" for o in op.outputs]
    scalars = [s.name for s in op.scalars]
    gradients = [f"d{t.name}" for t in op.tensors]
    fits = (
        all(t.name in tensors or t.optional for t in backward.tensors)
        and all(s.name in scalars for s in backward.scalars)
        and all(o.name in gradients for o in backward.outputs)
    )
    return backward if fits else None


class Gradient:
    """What the backward pass of one op saves and calls; `functions` are those of all ops."""

    def __init__(self, op: Op, ops: dict[str, Op], functions: dict):
        self.op = op
        self.backward_op = backward_of(op, ops)
        self.functions = functions

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        if self.backward_op is None:
            return
        outputs = output if isinstance(output, tuple) else (output,)
        known = self.op.named(inputs)
        known |= {o.name: t for o, t in zip(self.op.outputs, outputs, strict=True)}
        wanted = [t.name for t in self.backward_op.tensors]
        ctx.saved_names = [name for name in wanted if known.get(name) is not None]
        ctx.save_for_backward(*(known[name] for name in ctx.saved_names))
        ctx.scalars = {s.name: keyword_only_inputs[s.name] for s in self.backward_op.scalars}
        # What the backward op takes no gradient of, such as a row's mean kept for it.
        ctx.mark_non_differentiable(
            *(
                t
                for o, t in zip(self.op.outputs, outputs, strict=True)
                if f"d{o.name}" not in wanted
            )
        )

    def backward(self, ctx, *gradients) -> tuple:
        """One gradient for each tensor the forward op took."""
        if self.backward_op is None:
            name = self.op.name
            raise NotImplementedError(
                f"warpath::{name} has no gradient: there is no op {name}_backward"
            )
        known = dict(zip(ctx.saved_names, ctx.saved_tensors, strict=True))
        known |= {f"d{o.name}": g for o, g in zip(self.op.outputs, gradients, strict=True)}
        tensors = [known.get(t.name) for t in self.backward_op.tensors]
        results = self.functions[self.backward_op.name](*tensors, **ctx.scalars)
        results = results if isinstance(results, tuple) else (results,)
        found = dict(zip((o.name for o in self.backward_op.outputs), results, strict=True))
        wanted = ctx.needs_input_grad[
            getattr(ctx, "tensors_from", 0) :
        ]  # false where none was given
        names = [f"d{t.name}" for t in self.op.tensors]
        return tuple(found.get(n) if w else None for n, w in zip(names, wanted, strict=False))


class LazyGradient:
    """What the op's folder brings, or the op NAME_backward; looked for when a gradient is first wanted.

    A class of the folder is made with the op and the functions of all ops, and has `setup` and `backward` as
    Gradient has.
    """

    def __init__(self, op: Op, ops: dict[str, Op], functions: dict):
        self.op, self.ops, self.functions = op, ops, functions

    @functools.cached_property
    def gradient(self):
        brought = _folders.module(self.op, "autograd")
        made = None if brought is None else brought.GRADIENTS.get(self.op.name)
        if made is not None:
            return made(self.op, self.functions)
        return Gradient(self.op, self.ops, self.functions)

    def setup(self, ctx, inputs, keyword_only_inputs, output) -> None:
        self.gradient.setup(ctx, inputs, keyword_only_inputs, output)

    def backward(self, ctx, *gradients) -> tuple:
        return self.gradient.backward(ctx, *gradients)


_library = torch.library.Library("warpath", "IMPL")


def register(op: Op, gradient: LazyGradient) -> None:
    """What torch.library.register_autograd does, except that calls which need no gradient go on at once.

    Most calls are such, and torch's own way costs them three times as much.
    """
    info = Info(gradient.backward, gradient.setup)
    differentiable = make_autograd_impl(op.overload, info)
    redispatch, after = op.overload._handle.redispatch_boxed, torch._C._after_autograd_keyset
    grad_enabled, any_requires = torch.is_grad_enabled, torch._C._any_requires_grad

    def kernel(keys, *args, **kwargs):
        if grad_enabled() and any_requires(*args):
            return differentiable(keys, *args, **kwargs)
        return redispatch(keys & after, *args, **kwargs)

    _library.impl(op.name, kernel, "Autograd", with_keyset=True)


class Named(dict):
    """Keyword arguments as one value: a plain dict would be taken apart by torch.func."""


def under_transforms(op: Op, gradient: LazyGradient, vmap_rule):
    """The op for torch.func.grad and the like, which refuse what register_autograd makes."""
    overload = op.overload

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(named, *tensors):
            return overload(*tensors, **named)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.tensors_from = 1  # the first of the inputs is `named`
            gradient.setup(ctx, inputs[1:], inputs[0], output)

        @staticmethod
        def backward(ctx, *gradients):
            return None, *gradient.backward(ctx, *gradients)

        @staticmethod
        def jvp(ctx, *tangents):
            raise NotImplementedError(
                f"warpath::{op.name} has no forward-mode derivative (jvp); torch.func.vjp, grad and"
                " jacrev work"
            )

        @staticmethod
        def vmap(info, in_dims, named, *tensors):
            return vmap_rule(info, in_dims[1:], *tensors, **named)

    Function.__name__ = Function.__qualname__ = op.name
    return Function
