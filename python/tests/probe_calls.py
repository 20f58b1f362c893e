"""Calls of the ops in probe.cu; test_probe.py runs this in a process of its own."""

import pytest
import torch
import warpath

assert warpath.ops() == ["probe_accumulate", "probe_failing", "probe_segments"]
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

# A launch that fails is an exception, and the next call works.
with pytest.raises(RuntimeError, match="probe_failing: rung 'probe': cudaErrorInvalid"):
    warpath.probe_failing(torch.zeros(3))
warpath.probe_accumulate(x.t(), total)
