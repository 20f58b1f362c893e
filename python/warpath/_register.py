"""What torch knows of an op beyond its kernels, all derived from the contracts."""

import inspect
from collections.abc import Callable

import torch
from torch._C import DispatchKey, DispatchKeySet

from warpath import _contract, _words
from warpath._contract import Argument, Op


def register_all(ops: dict[str, Op]) -> None:
    for op in ops.values():
        _register_fake(op)
        if op.functional:
            _register_autograd(op, ops)
            _register_vmap(op)
        _register_autocast(op)


def functions(ops: dict[str, Op]) -> dict[str, Callable]:
    return {name: _function(op) for name, op in ops.items()}


def _overload(op: Op):
    return getattr(torch.ops.warpath, op.name).default


def _function(op: Op) -> Callable:
    overload = _overload(op)

    def call(*args, **kwargs):
        return overload(*args, **kwargs)

    call.__name__ = call.__qualname__ = op.name
    call.__module__ = "warpath"
    call.__doc__ = _words.docstring(op)
    call.__signature__ = inspect.Signature(_words.parameters(op))
    return call


def _named(op: Op, args: tuple) -> dict[str, torch.Tensor | None]:
    return dict(zip((t.name for t in op.tensors), args, strict=False))


def _result(outputs: list[torch.Tensor]):
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _register_fake(op: Op) -> None:
    def fake(*args, **kwargs):
        tensors = {**_named(op, args), **kwargs}
        return _result(_contract.empty_outputs(op, tensors))

    torch.library.register_fake(f"warpath::{op.name}", fake)


# --- autograd -------------------------------------------------------------------------------------


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


def _register_autograd(op: Op, ops: dict[str, Op]) -> None:
    backward_op = backward_of(op, ops)

    def setup(ctx, inputs, keyword_only_inputs, output) -> None:
        if backward_op is None:
            return
        outputs = output if isinstance(output, tuple) else (output,)
        known = _named(op, inputs) | {o.name: t for o, t in zip(op.outputs, outputs, strict=True)}
        ctx.saved_names = [t.name for t in backward_op.tensors if known.get(t.name) is not None]
        ctx.save_for_backward(*(known[name] for name in ctx.saved_names))
        ctx.scalars = {s.name: keyword_only_inputs[s.name] for s in backward_op.scalars}

    def backward(ctx, *gradients):
        if backward_op is None:
            raise NotImplementedError(
                f"warpath::{op.name} has no gradient: there is no op {op.name}_backward"
            )
        known = dict(zip(ctx.saved_names, ctx.saved_tensors, strict=True))
        known |= {f"d{o.name}": g for o, g in zip(op.outputs, gradients, strict=True)}
        tensors = [known.get(t.name) for t in backward_op.tensors]
        results = _overload(backward_op)(*tensors, **ctx.scalars)
        results = results if isinstance(results, tuple) else (results,)
        found = dict(zip((o.name for o in backward_op.outputs), results, strict=True))
        given = tuple(found.get(f"d{t.name}") for t in op.tensors)
        return given if len(given) > 1 else given[0]

    torch.library.register_autograd(f"warpath::{op.name}", backward, setup_context=setup)


# --- vmap -----------------------------------------------------------------------------------------


def _rows_only(op: Op) -> bool:
    """True when a batch is nothing but more leading axes: every tensor has them, all the same."""
    leading = {a.leading for a in (*op.tensors, *op.outputs)}
    return len(leading) == 1 and "" not in leading


def _register_vmap(op: Op) -> None:
    def rows(info, in_dims, *args, **kwargs):
        def front(tensor, dim):
            if tensor is None:
                return None
            if dim is None:
                return tensor.expand(info.batch_size, *tensor.shape)
            return tensor.movedim(dim, 0)

        tensors = [front(t, d) for t, d in zip(args, in_dims, strict=True)]
        result = _overload(op)(*tensors, **kwargs)
        return result, tuple(0 for _ in result) if isinstance(result, tuple) else 0

    def each(info, in_dims, *args, **kwargs):
        def one(tensor, dim, i):
            return tensor if dim is None else tensor.select(dim, i)

        results = [
            _overload(op)(*(one(t, d, i) for t, d in zip(args, in_dims, strict=True)), **kwargs)
            for i in range(info.batch_size)
        ]
        if isinstance(results[0], tuple):
            stacked = tuple(torch.stack(r) for r in zip(*results, strict=True))
            return stacked, tuple(0 for _ in stacked)
        return torch.stack(results), 0

    torch.library.register_vmap(f"warpath::{op.name}", rows if _rows_only(op) else each)


# --- autocast -------------------------------------------------------------------------------------

_autocast = torch.library.Library("warpath", "IMPL")


def _group(op: Op, argument: Argument) -> str:
    """The argument whose dtype this one has: itself, or the end of the chain of same_as."""
    by_name = {t.name: t for t in op.tensors}
    while argument.same_as:
        argument = by_name[argument.same_as]
    return argument.name


def _register_autocast(op: Op) -> None:
    """Under autocast, floating tensors that must have one dtype are taken to the widest of them.

    Nothing else is cast: the kernels compute in float whatever the dtype of their tensors.
    """
    groups = [_group(op, t) for t in op.tensors]

    def promote(keys: DispatchKeySet):
        def call(*args, **kwargs):
            widest: dict[str, torch.dtype] = {}
            for group, tensor in zip(groups, args, strict=False):
                if tensor is not None and tensor.is_floating_point():
                    known = widest.get(group, tensor.dtype)
                    widest[group] = torch.promote_types(known, tensor.dtype)
            cast = [
                t.to(widest[g]) if t is not None and t.is_floating_point() else t
                for g, t in zip(groups, args, strict=False)
            ]
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return _overload(op)(*cast, **kwargs)

        return call

    if op.functional and len(set(groups)) < len(groups):
        for key in ("AutocastCPU", "AutocastCUDA"):
            keys = DispatchKeySet(getattr(DispatchKey, key))
            _autocast.impl(op.name, promote(keys), key)
