"""Calls of the ops in ops/testing/probe; test_probe.py runs this in a process of its own."""

import copy
import os
import pickle
import signal
import threading
import time
import warnings

import pytest
import torch
import warpath
import warpath.nn

PROBES = ["accumulate", "cube", "failing", "segments", "unordered", "waiting"]
assert warpath.ops() == [f"probe_{name}" for name in PROBES]
print(warpath.probe_segments.__doc__)

# Several outputs, scalars of every kind, an index tensor, an optional one.
x = torch.arange(10.0).reshape(5, 2)
offsets = torch.tensor([0, 2, 2, 5])
sums, given = warpath.probe_segments(x, offsets)
assert torch.equal(sums, 1.5 * torch.tensor([[2.0, 4.0], [0, 0], [18, 21]])), sums
assert given.tolist() == [-1, 0, 0] and given.dtype == torch.int64
bias = torch.tensor([1.0, 2.0, 3.0])
seed = 2**62 + 1  # a double would lose the 1
sums, given = warpath.probe_segments(x, offsets, bias, seed=seed, scale=2, negate=True)
assert torch.equal(sums, bias[:, None] - 2 * torch.tensor([[2.0, 4.0], [0, 0], [18, 21]])), sums
assert given.tolist() == [seed, 1, 1]
torch.library.opcheck(torch.ops.warpath.probe_segments.default, (x, offsets, bias), {"seed": 3})
torch.library.opcheck(torch.ops.warpath.probe_segments.default, (x, offsets))

for device in ("cpu", "meta"):
    on = x.to(device), offsets.to(device)
    with pytest.raises(RuntimeError, match="argument 'offsets' is i32; allowed: i64"):
        warpath.probe_segments(on[0], on[1].int())
    with pytest.raises(RuntimeError, match="argument 'x' has an axis of 3, not 2"):
        warpath.probe_segments(torch.empty(5, 3, device=device), on[1])
    with pytest.raises(RuntimeError, match=r"'bias' has batch = \(4,\), but 'offsets' has \(3,\)"):
        warpath.probe_segments(*on, torch.empty(4, device=device))
    with pytest.raises(RuntimeError, match="argument 'offsets' is too short in 'batch'"):
        warpath.probe_segments(on[0], on[1][:0])

# In place, through strides; scratch is zero each time.
total = torch.zeros(3, 4)
x = torch.randn(4, 3)
for times in (1, 2):
    assert warpath.probe_accumulate(x.t(), total) is None
    torch.testing.assert_close(total, times * x.t())
turned = torch.zeros(4, 3).t()  # not contiguous: computed in a copy, written back
warpath.probe_accumulate(x.t(), turned)
torch.testing.assert_close(turned, x.t())
torch.library.opcheck(torch.ops.warpath.probe_accumulate.default, (x.t(), total))

with pytest.raises(RuntimeError, match="no rung can take this call:\n  probe: rows of more than 8"):
    warpath.probe_accumulate(torch.zeros(2, 9), torch.zeros(2, 9))
with pytest.raises(RuntimeError, match="rung 'probe' cannot take this call: rows of more than 8"):
    warpath.probe_accumulate(torch.zeros(2, 9), torch.zeros(2, 9), rung="probe")

# An op whose only rung is not deterministic: as torch's own such functions.
noise = torch.randn(70)
assert torch.equal(warpath.probe_unordered(noise), noise)
torch.use_deterministic_algorithms(True)
with pytest.raises(RuntimeError, match=r"algorithms\(True\) asks .*\n  probe: not deterministic$"):
    warpath.probe_unordered(noise)
torch.use_deterministic_algorithms(True, warn_only=True)
with pytest.warns(UserWarning, match="no rung that has them can take this call"):
    assert torch.equal(warpath.probe_unordered(noise), noise)
warnings.simplefilter("error")
with pytest.raises(RuntimeError, match="no rung that has them can take this call"):
    warpath.probe_unordered(noise)
warnings.resetwarnings()
torch.use_deterministic_algorithms(False)
assert torch.equal(warpath.probe_unordered(noise), noise)

# A launch that fails is an exception that says why, and the next call works.
refused = "(?s)probe_failing: rung 'probe': cudaErrorInvalid.*'touch' cannot run.*2000.*1024"
with pytest.raises(RuntimeError, match=refused):
    warpath.probe_failing(torch.zeros(3))
warpath.probe_accumulate(x.t(), total)

# A kernel that never ends: after its time, or at Ctrl-C, with the line it is in; the next call works.
endless = torch.tensor([1.0, -1.0])
assert warpath.set_timeout(0.3) == 300
late = r"(?s)LaunchTimeout.*'wait_for_sign'.* longer than 0.3 s.*probe\.cu:\d+.*set_timeout"
with pytest.raises(RuntimeError, match=late):
    warpath.probe_waiting(endless)
assert warpath.probe_waiting(endless.abs()).tolist() == [1, 1]
assert warpath.set_timeout(None) == 0.3


def press_ctrl_c() -> threading.Timer:
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


for call in (warpath.probe_waiting, lambda x: warpath.probe_waiting(x, rung="probe")):
    begin, timer = time.monotonic(), press_ctrl_c()
    stopped = r"(?s)'wait_for_sign' was stopped by Ctrl-C.*probe\.cu:\d+"
    with pytest.raises(KeyboardInterrupt, match=stopped):
        call(endless)
    assert time.monotonic() - begin < 10
    timer.join()
    assert warpath.probe_waiting(endless.abs()).tolist() == [1, 1]
# The user's own handler has Ctrl-C: the kernel goes on to its time.
pressed = []
before = signal.signal(signal.SIGINT, lambda *_: pressed.append(1))
warpath.set_timeout(1)
press_ctrl_c()
with pytest.raises(RuntimeError, match="longer than 1 s"):
    warpath.probe_waiting(endless)
assert pressed == [1]
signal.signal(signal.SIGINT, before)
warpath.set_timeout(300)

# A gradient and a module that the folder brings.
x = torch.randn(3, 4, requires_grad=True)
warpath.probe_cube(x).sum().backward()
torch.testing.assert_close(x.grad, 3 * x.detach() ** 2)
by_transform = torch.func.grad(lambda v: warpath.probe_cube(v).sum())(x.detach())
torch.testing.assert_close(by_transform, 3 * x.detach() ** 2)
with pytest.raises(NotImplementedError, match="no gradient: there is no op probe_failing_backward"):
    warpath.probe_failing(torch.zeros(0, requires_grad=True)).sum().backward()

# In place: the same memory, and what torch must know of it.
x = torch.randn(3, 4)
for room in (x.clone(), x.t().clone().t(), torch.zeros(3, 8)[:, 1:5].copy_(x)):
    version = room._version
    assert warpath.probe_cube_(room) is room and room._version > version
    torch.testing.assert_close(room, x**3)
room = x.clone()
assert warpath.probe_cube_(x=room, rung="probe") is room
torch.testing.assert_close(room, x**3)
assert warpath.probe_cube_(torch.empty(0, 3)).shape == (0, 3)
assert "y overwrites x" in warpath.probe_cube_.__doc__
torch.library.opcheck(torch.ops.warpath.probe_cube_.default, (x.clone(),))
needs = torch.randn(3, requires_grad=True)
for one in (needs, needs * 1):
    with pytest.raises(RuntimeError, match="has no gradient and an argument needs one"):
        warpath.probe_cube_(one)
    with torch.no_grad():
        wanted = one.clone() ** 3
        assert warpath.probe_cube_(one) is one and torch.equal(one, wanted)
saved = (needs * 1).exp()  # its gradient needs its own result
with torch.no_grad():
    warpath.probe_cube_(saved)
with pytest.raises(RuntimeError, match="modified by an inplace operation"):
    saved.sum().backward()
compiled = torch.compile(
    lambda v: warpath.probe_cube_(v * 2) + 1, fullgraph=True, backend="aot_eager"
)
torch.testing.assert_close(compiled(x), (x * 2) ** 3 + 1)
with pytest.raises(RuntimeError, match="argument 'x' is f16; allowed: f32"):
    warpath.probe_cube_(x.half())

assert (
    dir(warpath.nn) == ["Cube", "functional", "patch"]
    and warpath.nn.Cube.__module__ == "warpath.nn"
)
model = torch.nn.Sequential(torch.nn.Identity(), torch.nn.Softmax(-1))
assert warpath.patch(model) == ["0: torch.nn.Identity"]
assert type(model[0]) is warpath.nn.Cube
for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
    torch.testing.assert_close(again[0](x), x**3)
with pytest.raises(AttributeError, match="module 'warpath.nn' has no attribute 'Softmax'"):
    _ = warpath.nn.Softmax
