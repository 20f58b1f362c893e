"""Patches as other libraries cut them: rows of `warpath compare patchify`."""

import numpy

patchify_onnx = "y = Transpose <perm = [0, 2, 4, 1, 3, 5]> (x)"
unpatchify_onnx = "x = Transpose <perm = [0, 3, 1, 4, 2, 5]> (y)"


def patchify_torch(x):
    return x.permute(0, 2, 4, 1, 3, 5).contiguous()


def unpatchify_torch(y):
    return y.permute(0, 3, 1, 4, 2, 5).contiguous()


def patchify_numpy(x):
    return numpy.ascontiguousarray(x.transpose(0, 2, 4, 1, 3, 5))


def unpatchify_numpy(y):
    return numpy.ascontiguousarray(y.transpose(0, 3, 1, 4, 2, 5))
