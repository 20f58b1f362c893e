"""Modules on Warpath's ops, drop-in for those of torch.nn with the same names."""

import torch

import warpath


class Softmax(torch.nn.Softmax):
    """torch.nn.Softmax by warpath.softmax, along any axis."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        dim = -1 if self.dim is None else self.dim
        if dim in (-1, input.dim() - 1):
            return warpath.softmax(input)
        return warpath.softmax(input.movedim(dim, -1)).movedim(-1, dim)


class Linear(torch.nn.Linear):
    """torch.nn.Linear by warpath.matmul, bias fused; gradients by matmul too."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        rows = input.reshape(-1, self.in_features)
        out = warpath.matmul(rows, self.weight.t(), None, self.bias)
        return out.reshape(*input.shape[:-1], self.out_features)


# The class of torch.nn that each module here stands in for.
REPLACES: dict[type[torch.nn.Module], type[torch.nn.Module]] = {
    torch.nn.Linear: Linear,
    torch.nn.Softmax: Softmax,
}


def patch(model: torch.nn.Module) -> list[str]:
    """Puts Warpath's modules in the place of torch's, in the model itself; says which.

    Only modules of exactly torch's class are exchanged, not those of classes derived from it.
    Parameters, buffers, hooks and mode stay: the module keeps all it had but its class.
    """
    swapped = []
    for name, module in model.named_modules():
        ours = REPLACES.get(type(module))
        if ours is not None:
            module.__class__ = ours
            swapped.append(f"{name or 'the model'}: torch.nn.{ours.__name__}")
    return swapped
