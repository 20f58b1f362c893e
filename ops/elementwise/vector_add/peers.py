"""c = a + b as other libraries say it: rows of `warpath compare vector_add`."""

vector_add_onnx = "c = Add (a, b)"


def vector_add_torch(a, b):
    return a + b


def vector_add_numpy(a, b):
    return a + b
