"""What is refused, in the words of whoever called: no line of ours, no text of other libraries."""

import re
import sys

import pytest
import torch
import warpath

X = torch.randn(4, 6)
HEADS = torch.randn(1, 4, 4, 8)
SORTED = torch.arange(5.0)
VALUES = torch.arange(5, dtype=torch.int32)

REFUSED = {
    "p": (lambda: warpath.dropout(X, p=1.5), "dropout: p must be between 0 and 1"),
    "k": (lambda: warpath.top_k(X, k=7), "top_k: argument 'k' is larger than a row of 'x'"),
    "size": (lambda: warpath.top_k(X, k=-1), "top_k: argument 'k' is -1, which is no size"),
    "odd": (
        lambda: warpath.rope(HEADS[..., :7]),
        "rope: rotary_dim must be even and no more than dim",
    ),
    "heads": (
        lambda: warpath.attention(HEADS, HEADS[:, :, :3], HEADS[:, :, :3]),
        "attention: heads must be a multiple of kv_heads",
    ),
    "pixels": (
        lambda: warpath.resize(torch.empty(0, 4, 3), torch.empty(2, 2)),
        "resize: argument 'x' has no pixels",
    ),
    "one of two": (
        lambda: warpath.merge(SORTED, SORTED, VALUES),
        "merge: argument 'a_values' needs 'b_values' beside it",
    ),
    "the other of two": (
        lambda: warpath.merge(SORTED, SORTED, None, VALUES),
        "merge: argument 'b_values' needs 'a_values' beside it",
    ),
    "one of two, no data": (
        lambda: warpath.merge(*(t.to("meta") for t in (SORTED, SORTED, VALUES))),
        "merge: argument 'a_values' needs 'b_values' beside it",
    ),
    "large": (
        lambda: warpath.dropout(X, seed=2**63),
        "dropout: argument 'seed' is 9223372036854775808, which 64 bits cannot hold",
    ),
    "empty list": (
        lambda: warpath.grad_norm([]),
        "grad_norm: argument 'g' is an empty list; it takes at least one tensor",
    ),
    "two devices": (
        lambda: warpath.grad_norm([X, X.to("meta")]),
        "grad_norm: argument 'g' holds tensors on both cpu and meta",
    ),
    "shared memory": (
        lambda: warpath.relu_(X[:1].expand(4, 6)),
        "relu_?: argument 'x' has elements that share memory, as expand.. makes them, and is written to; pass .clone..",
    ),
    "shared memory in a list": (
        lambda: warpath.adamw([X[:1].expand(4, 6)], [X], [X.clone()], [X.clone()]),
        "adamw: argument 'p' has elements that share memory, .*",
    ),
    "smoothing": (
        lambda: warpath.cross_entropy(X, torch.tensor([1, 2, 3, 0]), label_smoothing=1.5),
        "cross_entropy: argument 'label_smoothing' is 1.5; it is a share, from 0 to 1",
    ),
}


@pytest.mark.parametrize("wrong, why", REFUSED.values(), ids=list(REFUSED))
def test_one_line(wrong, why):
    with pytest.raises(RuntimeError) as refusal:
        wrong()
    assert re.fullmatch(f"warpath::{why}", str(refusal.value))


def test_smoothing_is_refused_by_the_op_itself():
    with pytest.raises(RuntimeError, match="cross_entropy: label_smoothing is 1.5.*from 0 to 1"):
        torch.ops.warpath.cross_entropy(X, torch.tensor([1, 2, 3, 0]), label_smoothing=1.5)


def test_no_tensor_for_the_op_itself():
    with pytest.raises(
        RuntimeError, match="^warpath::vector_add: argument 'a' is None; it takes a"
    ):
        torch.ops.warpath.vector_add(None, X)


def test_what_is_not_similar_is_not_suggested():
    with pytest.raises(ValueError, match=r"^no op 'nosuch'; warpath.ops\(\) lists them$"):
        warpath.rungs("nosuch")


def test_numbers_of_the_optimizer():
    for wrong in ({"lr": None}, {"betas": 0.9}, {"clip_grad_norm": "1"}):
        ((name, value),) = wrong.items()
        with pytest.raises(TypeError, match=rf"^warpath.optim.AdamW: {name} is {value!r}$"):
            warpath.optim.AdamW([torch.nn.Parameter(X)], **wrong)


def test_names():
    with pytest.raises(ValueError, match=r"^no op 'None'; warpath.ops\(\) lists them$"):
        warpath.rungs(None)
    with pytest.raises(ValueError, match="no op 'softmx'; did you mean 'softmax'"):
        warpath.compare("softmx")
    with pytest.raises(TypeError, match="warpath.xray takes a rung .*, not NoneType"):
        warpath.xray(None)
    with pytest.raises(ValueError, match="has no counts; it takes what xray_counts"):
        warpath.xray({"kernel": "add"})
    with pytest.raises(ValueError, match="the counts are of no launch"):
        warpath.xray({"version": 1, "launches": []})
    with pytest.raises(TypeError, match="takes CUDA source as a string, not NoneType"):
        warpath.load_inline(None)
    with pytest.raises(RuntimeError, match=r"Linear: the last axis of \(4, 6\) is not 7"):
        warpath.nn.Linear(7, 3)(X)


# Blocks take some rows of an image each, and a grid ends at 65535 of them along y.
@pytest.mark.parametrize(
    ("rung", "size", "dtype", "width", "rows"),
    [
        ("02", 3, torch.float32, 1, 16),
        ("04", 3, torch.float32, 1, 32),
        ("05", 3, torch.uint8, 4, 16),
        ("06", 9, torch.uint8, 1, 64),
        ("07", 3, torch.bfloat16, 8, 91),
        ("08", 3, torch.uint8, 1, 216),
    ],
)
def test_images_of_more_rows_than_a_grid_has_blocks(rung, size, dtype, width, rows):
    x = torch.empty(1, 65535 * rows + 1, width, 1, dtype=dtype)
    with pytest.raises(RuntimeError, match=rf"is for images of at most {65535 * rows} rows"):
        warpath.blur(x, size=size, kind="box", rung=rung)


def test_parts_need_no_import_of_their_own():
    for part in ("cpp_extension", "nn", "onnx", "optim"):
        assert warpath.__getattr__(part) is sys.modules[f"warpath.{part}"]
    with pytest.raises(AttributeError, match="module 'warpath' has no attribute 'sofmax'"):
        warpath.sofmax  # noqa: B018


def test_docstrings_end_where_they_end():
    assert not warpath.adamw.__doc__.endswith("Returns:")
    assert "Returns:" in warpath.softmax.__doc__


def test_docstrings_explain_what_a_number_stands_for():
    """The comment at the head of the contract, between the summary and the arguments."""
    assert "A scale of 0 stands for 1 / sqrt(dim)" in " ".join(warpath.attention.__doc__.split())
    assert 'gelu(approximate="tanh")' in warpath.matmul.__doc__.split("Args:")[0]
