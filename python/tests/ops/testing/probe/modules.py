"""A module on probe_cube in the place of torch's Identity."""

import torch
import warpath


class Cube(torch.nn.Identity):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return warpath.probe_cube(input)


REPLACES = {torch.nn.Identity: Cube}
