"""top_k and its gradient, whose sizes come from scalars, against torch."""

import pytest
import torch
import warpath


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rung", warpath.rungs("top_k"))
def test_rungs(rung, dtype):
    x = torch.randperm(6 * 200).view(2, 3, 200).to(dtype)  # bf16 rounds: there are ties
    try:
        values, indices = warpath.top_k(x, k=7, rung=rung)
    except RuntimeError as refusal:
        assert f"rung '{rung}' cannot take this call: " in str(refusal)
        pytest.skip(str(refusal))
    wanted = torch.sort(x, dim=-1, descending=True, stable=True)  # ties by the lowest index
    torch.testing.assert_close(values, wanted.values[..., :7])
    assert torch.equal(indices.long(), wanted.indices[..., :7])


def test_gradient():
    x = torch.randn(4, 50, dtype=torch.float32, requires_grad=True)
    weight = torch.randn(4, 5)
    (warpath.top_k(x, k=5)[0] * weight).sum().backward()
    other = x.detach().clone().requires_grad_()
    (torch.topk(other, 5).values * weight).sum().backward()
    torch.testing.assert_close(x.grad, other.grad)
