"""Global average pooling as other libraries say it: rows of `warpath compare global_avg_pool`."""

import torch


def global_avg_pool_torch(x):
    return torch.nn.functional.adaptive_avg_pool2d(x.unsqueeze(-1), 1).flatten(1)


def global_avg_pool_numpy(x):
    return x.mean(-1, dtype="float32").astype(x.dtype)


def global_avg_pool_onnx(scalars, given):
    return "axes = Constant <value_ints = [-1]> () y = ReduceMean <keepdims = 0> (x, axes)"


def global_avg_pool_backward_torch(dy, x):
    return (dy / x.shape[2]).unsqueeze(2).expand(x.shape).contiguous()


def global_avg_pool_backward_numpy(dy, x):
    means = (dy.astype("float32") / x.shape[2]).astype(dy.dtype)
    return means[:, :, None].repeat(x.shape[2], 2)
