"""Eight-bit weights as PyTorch says it: rows of `warpath compare int8_matvec`. The weights are expanded in memory first."""

import torch

_DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def int8_quantize_torch(w):
    x = w.float()
    most = x.abs().amax(1) if w.shape[1] else x.new_zeros(len(x))
    factor = 127.0 / most.clamp(min=2.0**-119)
    return ((x * factor[:, None]).round() + 128).to(torch.uint8), most / 127.0


def int8_dequantize_torch(codes, scales, *, w_dtype=""):
    return ((codes.float() - 128) * scales[:, None]).to(_DTYPES.get(w_dtype, torch.float32))


def int8_matvec_torch(x, codes, scales, bias=None):
    y = x.float() @ (codes.float() - 128).T * scales
    return (y if bias is None else y + bias.float()).to(x.dtype)
