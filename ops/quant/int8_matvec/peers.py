"""Eight-bit weights as PyTorch says it: rows of `warpath compare int8_matvec`. The weights are expanded in memory first."""

import torch

_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def int8_quantize_torch(w):
    x = w.float()
    most = x.abs().amax(1) if w.shape[1] else x.new_zeros(len(x))
    # As a quotient of tensors: a number over a tensor is the number times a reciprocal, rounded twice.
    factor = torch.full_like(most, 127.0) / most.clamp(min=2.0**-119)
    return ((x * factor[:, None]).round() + 128).to(torch.uint8), most / 127.0


def int8_dequantize_torch(codes, scales, *, w_dtype=""):
    return ((codes.float() - 128) * scales[:, None]).to(_DTYPES.get(w_dtype, torch.float32))


def int8_matvec_torch(x, codes, scales, bias=None):
    wide = torch.promote_types(x.dtype, torch.float32)
    y = x.to(wide) @ (codes.to(wide) - 128).T * scales
    return (y if bias is None else y + bias.to(wide)).to(x.dtype)
