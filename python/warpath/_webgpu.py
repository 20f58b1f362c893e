"""The WGSL twins through wgpu: on a GPU, or on a CPU by Mesa's lavapipe."""

import functools
import math
import re
from collections.abc import Callable

import torch

from warpath._cases import CaseData
from warpath._contract import DTYPES, Op
from warpath._rows import CannotRun

_GROUPS = re.compile(r"^//! (\w+): groups (.+)$", re.MULTILINE)
_WIDE = re.compile(r"^//! (\w+): 64 bits (.+)$", re.MULTILINE)  # integers that get two words
_BUFFERS = "max-storage-buffers-per-shader-stage"
MOST_GROUPS = 65535


@functools.cache
def _device():
    import wgpu

    try:
        adapter = wgpu.gpu.request_adapter_sync(power_preference="high-performance")
    except Exception as why:  # noqa: BLE001  wgpu-native panics and drivers that are missing come in many classes
        adapter, text = None, str(why).splitlines()[0]
    else:
        text = "none answered"
    if adapter is None:
        raise CannotRun(f"no WebGPU adapter ({text}); on Debian: apt install mesa-vulkan-drivers")
    if (
        adapter.info["backend_type"] == "OpenGL"
    ):  # a last resort whose compute shaders are not WebGPU's
        raise CannotRun("only an OpenGL adapter; on Debian: apt install mesa-vulkan-drivers")
    # WebGPU grants 8 without asking; a gradient may have more.
    most = {_BUFFERS: adapter.limits[_BUFFERS]}
    return adapter.info["device"], adapter.request_device_sync(required_limits=most)


def adapter_name() -> str:
    return _device()[0]


def _groups(op: Op, text: str, sizes: dict[str, int]) -> list[int]:
    """`rows / 16` is rounded up."""
    found = dict(_GROUPS.findall(text)).get(op.name)
    if found is None:
        raise CannotRun(f"its .wgsl has no line `//! {op.name}: groups …`")
    groups = []
    for part in found.split(","):
        name, _, by = part.partition("/")
        groups.append(math.ceil(sizes[name.strip()] / int(by or 1)))
    if any(g > MOST_GROUPS for g in groups):
        raise CannotRun(f"more than {MOST_GROUPS} workgroups")
    return groups + [1] * (3 - len(groups))


def _sizes(op: Op, case_data: CaseData) -> dict[str, int]:
    """Dimensions in the order in which the contract names them, leading axes as one."""
    dims: dict[str, int] = {}
    for argument in op.tensors:
        if case_data.inputs[argument.name] is None:
            continue
        shape = list(case_data.inputs[argument.name].shape)
        if argument.leading:
            lead = len(shape) - len(argument.dims) + 1
            shape = [math.prod(shape[:lead]), *shape[lead:]]
        for dim, size in zip(argument.dims, shape, strict=True):
            if dim.name:
                dims.setdefault(dim.name, size - dim.plus)
    return dims


def _scalars(op: Op, case_data: CaseData, text: str) -> list[int]:
    """Whether each tensor is there that may be left out; then the scalars, reals by their bits, integers of 64 bits
    with the low ones first."""
    wide = dict(_WIDE.findall(text)).get(op.name, "").split(", ")
    values = [int(case_data.inputs[t.name] is not None) for t in op.tensors if t.optional]
    for s in op.scalars:
        value = case_data.scalars[s.name]
        if isinstance(value, float):
            values.append(torch.tensor(value, dtype=torch.float32).view(torch.int32).item())
        elif s.name in wide:
            words = torch.tensor([value], dtype=torch.int64).view(torch.int32)
            values += words.tolist()
        elif not s.same_as:  # the type of a result is f32 here
            values.append(s.choices.index(value) if s.choices else int(value))
    return values


def _layout(device, inputs: int, outputs: int):
    """All buffers of the op, whether the kernel uses them or not; inputs and the sizes cannot be written."""
    import wgpu

    kinds = ["read-only-storage"] * inputs + ["storage"] * outputs + ["read-only-storage"]
    if len(kinds) > device.limits[_BUFFERS]:
        return "auto"  # those that it uses
    entries = [
        {"binding": i, "visibility": wgpu.ShaderStage.COMPUTE, "buffer": {"type": kind}}
        for i, kind in enumerate(kinds)
    ]
    group = device.create_bind_group_layout(entries=entries)
    return device.create_pipeline_layout(bind_group_layouts=[group])


def prepare(op: Op, case_data: CaseData, text: str) -> Callable:
    if case_data.dtype != "f32":
        raise CannotRun("WGSL's buffers here are f32 alone")
    import wgpu

    _, device = _device()
    sizes = _sizes(op, case_data)
    groups = _groups(op, text, sizes)
    usage = wgpu.BufferUsage
    sizes_data = torch.tensor([*sizes.values(), *_scalars(op, case_data, text)], dtype=torch.int32)
    # What the case leaves out or has no elements of has a buffer of one element.
    buffers = [
        device.create_buffer_with_data(
            data=(t.contiguous() if t is not None and t.numel() else torch.zeros(1)).numpy(),
            usage=usage.STORAGE,
        )
        for t in case_data.arguments()
    ]
    shapes = {told["name"]: told["shape"] for told in case_data.told_outputs}
    outputs = {}
    for o in op.outputs:
        size = max(4 * math.prod(shapes.get(o.name, ())), 4)
        outputs[o.name] = device.create_buffer(size=size, usage=usage.STORAGE | usage.COPY_SRC)
    last = device.create_buffer_with_data(data=sizes_data.numpy(), usage=usage.STORAGE)
    layout = _layout(device, len(buffers), len(outputs))
    pipeline = device.create_compute_pipeline(
        layout=layout,
        compute={"module": device.create_shader_module(code=text), "entry_point": op.name},
    )
    entries = [
        {"binding": i, "resource": {"buffer": b, "offset": 0, "size": b.size}}
        for i, b in enumerate([*buffers, *outputs.values(), last])
    ]
    group = device.create_bind_group(layout=pipeline.get_bind_group_layout(0), entries=entries)

    def run():
        encoder = device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        work.set_bind_group(0, group)
        work.dispatch_workgroups(*groups)
        work.end()
        device.queue.submit([encoder.finish()])
        results = []
        for told in case_data.told_outputs:
            data = bytearray(device.queue.read_buffer(outputs[told["name"]]))
            values = torch.frombuffer(data, dtype=DTYPES[told["dtype"]])
            results.append(values[: math.prod(told["shape"])].view(told["shape"]))
        return tuple(results)

    return run
