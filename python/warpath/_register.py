"""What torch knows of an op beyond its kernels, all derived from the contracts."""

import inspect
from collections.abc import Callable

import torch
from torch._C import DispatchKey, DispatchKeySet
from torch._ops import OpOverloadPacket
from torch.autograd.graph import increment_version

from warpath import _autograd, _contract, _folders, _native, _vmap, _words
from warpath._contract import Argument, Op


def register_all(ops: dict[str, Op]) -> dict[str, Callable]:
    """Tells torch the rest about every op; the functions that people call."""
    functions: dict[str, Callable] = {}
    for op in ops.values():
        _register_fake(op)
        register_autocast(op, op.overload)
        signature, transformed = inspect.Signature(_words.parameters(op)), None
        if op.functional and not op.takes_lists:
            gradient = _autograd.LazyGradient(op, ops, functions)
            _autograd.register(op, gradient)
            rule = _vmap.rule(op, functions)
            torch.library.register_vmap(f"warpath::{op.name}", rule)
            function = _autograd.under_transforms(op, gradient, rule)
            transformed = _under_transforms(op, signature, function)
        functions[op.name] = _function(op, signature, transformed, _short_way(op, transformed))
        if op.in_place:
            functions[f"{op.name}_"] = _in_place_function(op, signature)
    return functions


def _short_way(op: Op, transformed: Callable | None) -> Callable:
    """The entry of every call, by torch.ops too: a call that needs no gradient skips the Autograd key.

    The kernel of that key is a Python function, which torch calls at every call of the op; the same question
    asked before the dispatcher, in C, costs less. Such calls go to other overloads, where nothing waits at that
    key.
    """
    packet = getattr(torch.ops.warpath, op.name)
    if not op.functional or op.takes_lists:
        return packet._op
    for overload in ("plain", "named"):
        _register_below_autograd(op, overload)
    must_be_given = tuple(t.name for t in op.tensors if not t.optional)
    call = _native.short_way(packet, transformed, must_be_given)
    torch.jit._builtins._register_builtin(call, f"warpath::{op.name}")  # as it was for packet._op
    packet._op = call
    # Its own class: a call comes here at once, not through the Python function all packets share.
    own = {"__call__": staticmethod(call)}
    packet.__class__ = type(OpOverloadPacket.__name__, (OpOverloadPacket,), own)
    return call


# Keys at which a call is intercepted: modes and subclasses of tensors, torch.func, autocast.
_WATCHED = (
    "Python",
    "FuncTorchDynamicLayerFrontMode",
    "Functionalize",
    "AutocastCPU",
    "AutocastCUDA",
)

_overloads = torch.library.Library("warpath", "IMPL")


def _register_below_autograd(op: Op, overload: str) -> None:
    """An overload that has the kernels alone. A call that is intercepted becomes a call of the op itself."""
    name, itself = f"{op.name}.{overload}", op.overload

    def call_the_op(*args, **kwargs):
        return itself(*args, **kwargs)

    _overloads.impl(name, torch.library.fallthrough_kernel, "Autograd")
    for key in (*_WATCHED, "CompositeExplicitAutograd"):  # the last: any device but CPU and CUDA
        _overloads.impl(name, call_the_op, key)


def _under_transforms(
    op: Op, signature: inspect.Signature, function: type[torch.autograd.Function]
) -> Callable:
    """A call of the op as a call of the function, which takes no keyword arguments."""
    positional = len(op.tensors)

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = list(bound.arguments.items())
        named = _autograd.Named(values[positional:])
        return function.apply(named, *(value for _, value in values[:positional]))

    return call


def _function(
    op: Op, signature: inspect.Signature, transformed: Callable | None, dispatch: Callable
) -> Callable:
    overload, compiling = op.overload, torch.compiler.is_compiling

    def call(*args, **kwargs):
        if compiling():  # the compiler looks into Python functions, and knows the op by itself
            if transformed is not None and torch._C._are_functorch_transforms_active():
                return transformed(*args, **kwargs)
            return overload(*args, **kwargs)
        try:
            return dispatch(*args, **kwargs)
        except (RuntimeError, TypeError) as error:  # NotImplementedError is a RuntimeError
            why = _words.refusal(op, op.name, signature, args, kwargs, error)
            if not why:
                raise
        raise RuntimeError(why)

    brought = _folders.module(op, "arguments")
    complete = brought and brought.ARGUMENTS.get(op.name)
    if complete:
        plain = call

        def call(*args, **kwargs):
            try:
                named = complete(args, kwargs)
            except RuntimeError as error:
                raise RuntimeError(f"warpath::{op.name}: {error}") from None
            return plain(*args, **named)

    call.__name__ = call.__qualname__ = op.name
    call.__module__ = "warpath"
    call.__doc__ = _words.docstring(op)
    call.__signature__ = signature
    return call


def _in_place_function(op: Op, signature: inspect.Signature) -> Callable:
    """NAME_: the outputs overwrite the inputs that the contract names for them, and are returned as NAME's are."""
    name = f"{op.name}_"
    overload = getattr(torch.ops.warpath, name).default
    overwritten = {o.in_place for o in op.outputs if o.in_place}
    places = [i for i, t in enumerate(op.tensors) if t.name in overwritten]

    def fake(*args, **kwargs):
        made = _contract.empty_outputs(op, {**op.named(args), **kwargs})
        new = [t for o, t in zip(op.outputs, made, strict=True) if not o.in_place]
        return _result(new)

    torch.library.register_fake(f"warpath::{name}", fake)
    redispatch, after = overload._handle.redispatch_boxed, torch._C._after_autograd_keyset
    grad_enabled, any_requires = torch.is_grad_enabled, torch._C._any_requires_grad

    def kernel(keys, *args, **kwargs):
        if grad_enabled() and any_requires(*args):
            raise RuntimeError(
                f"warpath::{name} has no gradient and an argument needs one: call warpath.{op.name},"
                " or this under torch.no_grad()"
            )
        increment_version([args[i] for i in places if i < len(args) and args[i] is not None])
        return redispatch(keys & after, *args, **kwargs)

    _overloads.impl(name, kernel, "Autograd", with_keyset=True)

    def call(*args, **kwargs):
        try:
            new = overload(*args, **kwargs)
        except (RuntimeError, TypeError) as error:
            why = _words.refusal(op, name, signature, args, kwargs, error)
            if not why:
                raise
            raise RuntimeError(why) from None
        bound = signature.bind(*args, **kwargs).arguments
        new = iter(new if isinstance(new, tuple) else (new,))
        return _result([bound.get(o.in_place) if o.in_place else next(new) for o in op.outputs])

    call.__name__ = call.__qualname__ = name
    call.__module__ = "warpath"
    call.__doc__ = _words.docstring(op, in_place=True)
    call.__signature__ = signature
    return call


def _result(outputs: list[torch.Tensor]):
    if not outputs:
        return None
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def empty_result(op: Op, args: tuple, kwargs: dict):
    """What a call returns, nothing computed."""
    return _result(_contract.empty_outputs(op, {**op.named(args), **kwargs}))


def _register_fake(op: Op) -> None:
    def fake(*args, **kwargs):
        return empty_result(op, args, kwargs)

    torch.library.register_fake(f"warpath::{op.name}", fake)


# --- autocast -------------------------------------------------------------------------------------

_autocast = torch.library.Library("warpath", "IMPL")


def _group(op: Op, argument: Argument) -> str:
    """The argument whose dtype this one has: itself, or the end of the chain of same_as."""
    by_name = {t.name: t for t in op.tensors}
    while argument.same_as:
        if argument.same_as not in by_name:
            return argument.same_as  # an output's
        argument = by_name[argument.same_as]
    return argument.name


def register_autocast(op: Op, overload: torch._ops.OpOverload, before: int = 0) -> None:
    """Under autocast, floating tensors that must have one dtype are cast to the widest of them.

    `overload` takes what the op takes, after so many other arguments. Products are computed in autocast's dtype, as torch's are: those that AUTOCAST in the folder's autograd.py names.
    Nothing else is cast: the kernels compute in float whatever the dtype of their tensors.
    """
    groups = [_group(op, t) for t in op.tensors]
    by_name = {t.name: t for t in (*op.tensors, *op.outputs)}

    def lowered(group: str, dtype: torch.dtype, autocast: torch.dtype) -> torch.dtype:
        allowed = by_name[group].dtypes
        fits = _contract.NAMES.get(autocast) in allowed and dtype != torch.float64
        return autocast if fits else dtype

    def promote(keys: DispatchKeySet, device: str):
        def call(*args, **kwargs):
            others, args = args[:before], args[before:]
            widest: dict[str, torch.dtype] = {}
            for group, tensor in zip(groups, args, strict=False):
                if tensor is not None and tensor.is_floating_point():
                    known = widest.get(group, tensor.dtype)
                    widest[group] = torch.promote_types(known, tensor.dtype)
            folder = _folders.module(op, "autograd")
            if op.name in getattr(folder, "AUTOCAST", ()):
                autocast = torch.get_autocast_dtype(device)
                told = {g for g in widest if kwargs.get(f"{g}_dtype")}  # by the caller
                widest |= {g: lowered(g, d, autocast) for g, d in widest.items() if g not in told}
            cast = [
                t.to(widest[g]) if t is not None and t.is_floating_point() else t
                for g, t in zip(groups, args, strict=False)
            ]
            with torch._C._ExcludeDispatchKeyGuard(keys):
                return overload(*others, *cast, **kwargs)

        return call

    if op.functional and not op.takes_lists and len(set(groups)) < len(groups):
        for device in ("cpu", "cuda"):
            key = f"Autocast{device.upper()}"
            keys = DispatchKeySet(getattr(DispatchKey, key))
            _autocast.impl(overload, promote(keys, device), key)
