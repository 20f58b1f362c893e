"""Indices, offsets and lengths outside of what they point into: an error on the CPU, never a read of other memory."""

import pytest
import torch
import warpath


def ints(*values, dtype=torch.int32):
    return torch.tensor(values, dtype=dtype)


TABLE, ROWS = torch.randn(5, 4), torch.randn(6, 3)
Q, KV = torch.randn(1, 6, 4, 8), torch.randn(1, 6, 2, 8)
CACHE, NEW, QUERY = torch.randn(3, 4, 2, 8), torch.randn(2, 1, 2, 8), torch.randn(2, 1, 4, 8)
PAGES = ints(2, 0, 1, 1).view(2, 2)
SOME, STEPS = torch.randn(2, 7), torch.linspace(0.9, 0.1, 10)


def write(lengths, table=PAGES):
    return warpath.cache_write(NEW, NEW, CACHE.clone(), CACHE.clone(), lengths, table)


def decode(lengths, table=PAGES, **how):
    return warpath.attention_decode(QUERY, CACHE, CACHE, lengths, table, **how)[0]


WRONG = {
    "id": (
        lambda: warpath.embedding(TABLE, ints(4, 0, 5, dtype=torch.int64)),
        "embedding: argument 'ids' has 5 as element 2; it must be between 0 and 4",
    ),
    "negative id": (lambda: warpath.embedding(TABLE, ints(-1)), "'ids' has -1 as element 0"),
    "position": (
        lambda: warpath.embedding(TABLE, ints(1), TABLE, ints(7)),
        "'positions' has 7 as element 0",
    ),
    "long sequence": (
        lambda: warpath.embedding(TABLE.double(), ints(1, 1, 1), TABLE[:2].double()),
        "embedding: the sequences are longer than the 'position_table'$",
    ),
    "id of a gradient": (
        lambda: warpath.embedding_backward(TABLE[None, :2], ints(0, 9).view(1, 2), TABLE),
        "'ids' has 9 as element 1",
    ),
    "offset": (
        lambda: warpath.attention(Q, KV, KV, ints(0, 2, 9), ints(0, 2, 6)),
        "'q_offsets' has 9 as element 2; it must be between 0 and 6",
    ),
    "negative offset": (
        lambda: warpath.attention(Q, KV, KV, ints(0, 2, 6), ints(0, -2, 6)),
        "'k_offsets' has -2 as element 1",
    ),
    "offsets that fall": (
        lambda: warpath.attention(Q, KV, KV, ints(0, 4, 2), ints(0, 4, 6)),
        "'q_offsets' has 2 as element 2, less than the one before it",
    ),
    "segment": (
        lambda: warpath.segment_sum(ROWS, ints(0, 7)),
        "'offsets' has 7 as element 1; it must be between 0 and 6",
    ),
    "segment of a gradient": (
        lambda: warpath.segment_sum_backward(ROWS[:1], ints(0, 7), n=6),
        "'offsets' has 7 as element 1",
    ),
    "column": (
        lambda: warpath.top_k_backward(ROWS, torch.arange(18).view(6, 3), cols=10),
        "'indices' has 10 as element 10",
    ),
    "time": (
        lambda: warpath.ddpm_noise(SOME, STEPS, ints(9, 10)),
        "'t' has 10 as element 1; it must be between 0 and 9",
    ),
    "time before": (
        lambda: warpath.ddpm_step(SOME, SOME, STEPS, ints(9, 9), ints(-1, -2)),
        "'previous' has -2 as element 1; it must be between -1 and 9",
    ),
    "length": (
        lambda: decode(ints(8, 9)),
        "'lengths' has 9 as element 1; the cache of a sequence holds 8 tokens",
    ),
    "length without pages": (
        lambda: warpath.attention_decode(QUERY, CACHE[:2], CACHE[:2], ints(4, 5)),
        "'lengths' has 5 as element 1; the cache of a sequence holds 4 tokens",
    ),
    "page": (
        lambda: decode(ints(5, 1), ints(0, 3, 0, 0).view(2, 2)),
        "'block_table' has 3 as element 1; it must be between 0 and 2",
    ),
    "page written": (
        lambda: write(ints(5, 1), ints(0, 3, 0, 0).view(2, 2)),
        "'block_table' has 3 as element 1",
    ),
}


@pytest.mark.parametrize("wrong, why", WRONG.values(), ids=list(WRONG))
def test_refused(wrong, why):
    with pytest.raises(RuntimeError, match=why):
        wrong()


def test_edges_are_taken():
    """The last of each, and what no kernel looks at."""
    ids = ints(4, 0, 4)
    assert torch.equal(warpath.embedding(TABLE, ids), TABLE[ids])
    offsets = ints(0, 0, 6)
    assert warpath.attention(Q, KV, KV, offsets, offsets)[0].isfinite().all()
    assert torch.allclose(warpath.segment_sum(ROWS, ints(0, 6)), ROWS.sum(0, keepdim=True))
    warpath.ddpm_step(SOME, SOME, STEPS, ints(9, 0), ints(8, -1))
    unread = ints(0, 99, 1, 99).view(2, 2)  # behind the last page of each
    assert decode(ints(4, 1), unread).isfinite().all()
    assert decode(ints(0, -1), unread).eq(0).all()
    windowed = ints(99, 1, 99, 1).view(2, 2)  # before the first key that is seen
    assert decode(ints(8, 6), windowed, window=2).isfinite().all()
    write(ints(5, 6), windowed)


def test_under_the_compiler():
    take = torch.compile(warpath.embedding, backend="aot_eager", fullgraph=True)
    with pytest.raises(RuntimeError, match="'ids' has 5 as element 0"):
        take(TABLE, ints(5))
