"""y = x transposed as other libraries say it: rows of `warpath compare transpose`."""

import numpy

transpose_onnx = "y = Transpose <perm = [1, 0]> (x)"


def transpose_torch(x):
    return x.t().contiguous()


def transpose_numpy(x):
    return numpy.ascontiguousarray(x.T)
