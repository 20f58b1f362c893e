"""Attention for warpath.nn: the function and the module of torch, and an implementation for Hugging Face's models."""

import sys

import torch
import warpath
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from warpath import _drawn

_attention_drawn = _drawn.define("attention")


def scaled_dot_product_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
    *,
    window: int = 0,
    softcap: float = 0.0,
) -> torch.Tensor:
    """torch.nn.functional.scaled_dot_product_attention by warpath.attention: (..., heads, sequence, dim), no copies.

    As torch has it, `is_causal` counts from the first key: query i sees keys 0 to i, whatever the lengths. (warpath.attention
    counts from the last, as decoding needs it.) Dropout draws another mask than torch's. With an `attn_mask` it is torch's
    own. Beyond torch: `window`, for as many queries as keys, lets a query see only keys less than so many away,
    and `softcap` bounds scores to softcap * tanh(score / softcap); neither goes with an `attn_mask`.
    """
    if attn_mask is not None:
        if window or softcap:
            raise ValueError(
                "warpath.nn.functional.scaled_dot_product_attention: an attn_mask is left to torch's own, which has no"
                " window and no softcap"
            )
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa
        )
    _must_fit(query=query, key=key, value=value)
    if key.shape[-2] == 0:  # nothing to see: zeros
        return torch.nn.functional.scaled_dot_product_attention(
            query, key, value, scale=scale, enable_gqa=enable_gqa
        )
    shape = torch.broadcast_shapes(*(t.shape[:-3] for t in (query, key, value)))
    heads = [t.shape[-3] if t.ndim > 2 else 1 for t in (query, key, value)]
    if enable_gqa:
        if heads[1] != heads[2] or heads[0] % heads[1]:
            raise ValueError(
                f"enable_gqa: {heads[0]} heads of queries over {heads[1]} of keys and {heads[2]} of values"
            )
    elif heads[1] != heads[0] or heads[2] != heads[0]:  # as torch: all the same, or 1
        if any(h not in (1, max(heads)) for h in heads):
            raise ValueError(
                f"query, key and value have {heads[0]}, {heads[1]} and {heads[2]} heads; enable_gqa=True lets several heads"
                " of queries share one of keys and values"
            )
        heads = list(torch.broadcast_shapes(*((h,) for h in heads))) * 3
    q, k, v = (
        _rows(t, (*shape, h)) for t, h in zip((query, key, value), heads, strict=True)
    )  # (batch, sequence, heads, dim)
    if scale == 0:  # which stands for 1 / sqrt(dim) in the op
        q = q * 0
    named = {"scale": scale or 0.0, "softcap": softcap, "window": window}
    o = _attention(q, k, v, is_causal, dropout_p, named).transpose(1, 2)
    no_heads = query.ndim < 3 and key.ndim < 3 and value.ndim < 3
    return o.reshape(*shape, *(() if no_heads else o.shape[1:2]), *o.shape[2:])


def _must_fit(**tensors: torch.Tensor) -> None:
    for name, t in tensors.items():
        if not isinstance(t, torch.Tensor):
            raise TypeError(f"argument '{name}' is {type(t).__name__}; it takes a tensor")
        if t.ndim < 2:
            raise ValueError(
                f"argument '{name}' has the shape {tuple(t.shape)}; it takes (..., heads, sequence, dim)"
            )
    batches = [t.shape[:-3] for t in tensors.values()]
    try:
        torch.broadcast_shapes(*batches)
    except RuntimeError:
        shapes = ", ".join(f"{n} {tuple(t.shape)}" for n, t in tensors.items())
        raise ValueError(f"the leading axes do not broadcast: {shapes}") from None


def _rows(t: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """From (shape..., sequence, dim), broadcast, to (batch, sequence, heads, dim)."""
    if t.ndim != 4 or t.shape[:2] != shape:
        t = t.expand(*shape, *t.shape[-2:])
        t = t.flatten(0, -4) if t.ndim > 3 else t[None]
    return t.transpose(1, 2)


def _attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool, dropout: float, named: dict
) -> torch.Tensor:
    """Tensors are (batch, sequence, heads, dim); causal from the first key on, as torch has it."""
    queries, keys = q.shape[1], k.shape[1]
    if queries != keys and named.get("window"):
        raise ValueError(
            f"window: {queries} queries and {keys} keys; warpath.attention has it, aligned to the end"
        )
    if causal and queries < keys:  # nobody sees the keys behind
        k, v = k[:, :queries], v[:, :queries]
    elif causal and queries > keys:  # those behind see all
        parts = ((q[:, :keys], True), (q[:, keys:], False))
        return torch.cat([_attention(part, k, v, c, dropout, named) for part, c in parts], 1)
    if dropout > 0:
        return _dropped(q, k, v, causal, dropout, named)
    return warpath.attention(q, k, v, causal=causal, **named)[0]


def _dropped(q, k, v, causal, dropout, named):
    named = {"causal": causal, "dropout": dropout, **named}
    seed = _drawn.seed(q)
    if torch.compiler.is_compiling():
        return _attention_drawn(seed, q, k, v, **named)[0]
    return warpath.attention(q, k, v, seed=seed.item(), **named)[0]


def _linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    rows = x.reshape(-1, weight.shape[1])
    return warpath.matmul(rows, weight.t(), None, bias).view(*x.shape[:-1], weight.shape[0])


class _OutProjection(NonDynamicallyQuantizableLinear):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return _linear(input, self.weight, self.bias)


class MultiheadAttention(torch.nn.MultiheadAttention):
    """torch.nn.MultiheadAttention by warpath.attention and warpath.matmul, where `need_weights` is False.

    With `need_weights`, which is torch's default, with a mask, with `add_bias_kv` or `add_zero_attn` it is torch's own:
    warpath.attention never has the weights. As in torch, `is_causal` says that the mask given beside it is
    the causal one, which is then not looked at.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.out_proj.__class__ = _OutProjection

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        key_padding_mask: torch.Tensor | None = None,
        need_weights: bool = True,
        attn_mask: torch.Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        plain = key_padding_mask is None and (attn_mask is not None) == is_causal
        plain = plain and self.bias_k is None and not self.add_zero_attn
        if need_weights or not plain or query.is_nested:
            return super().forward(
                query,
                key,
                value,
                key_padding_mask=key_padding_mask,
                need_weights=need_weights,
                attn_mask=attn_mask,
                average_attn_weights=average_attn_weights,
                is_causal=is_causal,
            )
        q, k, v = (
            t.unflatten(-1, (self.num_heads, self.head_dim))
            for t in self._projected(query, key, value)
        )
        if query.ndim == 2:
            q, k, v = q[None], k[None], v[None]
        elif not self.batch_first:
            q, k, v = (t.transpose(0, 1) for t in (q, k, v))
        o = _attention(q, k, v, is_causal, self.dropout if self.training else 0.0, {}).flatten(2)
        if query.ndim == 2:
            o = o[0]
        elif not self.batch_first:
            o = o.transpose(0, 1)
        return self.out_proj(o), None

    def _projected(self, query, key, value):
        """(..., embed_dim) each; of self-attention three parts of one tensor."""
        bias = self.in_proj_bias
        if self.in_proj_weight is None:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        elif query is key and key is value:
            return _linear(query, self.in_proj_weight, bias).chunk(3, -1)
        else:
            weights = self.in_proj_weight.chunk(3)
        biases = (None,) * 3 if bias is None else bias.chunk(3)
        given = zip((query, key, value), weights, biases, strict=True)
        return [_linear(x, w, b) for x, w, b in given]


REPLACES = {
    torch.nn.MultiheadAttention: MultiheadAttention,
    NonDynamicallyQuantizableLinear: _OutProjection,
}


# What Hugging Face's attention implementations may be given that warpath.attention has no part for.
_NOT_OURS = ("softcap", "position_bias", "cache", "s_aux")


def _for_transformers(
    module, query, key, value, attention_mask, dropout=0.0, scaling=None, is_causal=None, **others
):
    """An attention implementation of Hugging Face; theirs by torch where there is a mask, as for padded sequences."""
    if attention_mask is not None or any(others.get(n) is not None for n in _NOT_OURS):
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        named = {"dropout": dropout, "scaling": scaling, "is_causal": is_causal, **others}
        return sdpa_attention_forward(module, query, key, value, attention_mask, **named)
    if is_causal is None:
        is_causal = getattr(module, "is_causal", True)
    # A single query is the newest of a cache and sees all of it.
    causal = bool(is_causal) and query.shape[2] > 1
    q, k, v = (t.transpose(1, 2) for t in (query, key, value))
    return _attention(q, k, v, causal, dropout, {"scale": scaling or 0.0}), None


def _patch_transformers(model: torch.nn.Module, patched) -> None:
    """Models of Hugging Face that use torch's attention use ours from here on: config._attn_implementation says which."""
    library = sys.modules.get("transformers")
    if library is None:
        return
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register("warpath", _for_transformers)
    AttentionMaskInterface.register("warpath", sdpa_mask)
    configs = set()
    for name, part in model.named_modules():
        if not isinstance(part, library.PreTrainedModel) or id(part.config) in configs:
            continue
        configs.add(id(part.config))
        known = part.config._attn_implementation
        line = f"{name or 'the model'}: transformers attention '{known}'"
        if known == "warpath":
            continue
        if known != "sdpa" or not part._can_set_attn_implementation():
            patched.left.append(line)
        elif any(p.dtype == torch.float64 for p in part.parameters()):
            patched.left.append(f"{line} (float64)")
        else:
            part.config._attn_implementation = {
                "": "warpath"
            }  # not of the parts that it has configs for
            patched.append(line)


PATCHES = [_patch_transformers]
