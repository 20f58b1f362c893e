"""Modules of warpath.nn on ddpm_step."""

import torch
import warpath


class Diffusion(torch.nn.Module):
    """The schedule of a diffusion model, linear in beta as DDPM's, and its two steps for samples of any shape."""

    def __init__(self, steps: int = 1000, first: float = 1e-4, last: float = 0.02, clip: float = 0):
        super().__init__()
        beta = torch.linspace(first, last, steps, dtype=torch.float64)
        self.register_buffer("alpha_bar", torch.cumprod(1 - beta, 0).float())
        self.clip = clip

    def noise(self, x0: torch.Tensor, t: torch.Tensor, *, seed: int, offset: int = 0):
        """x0 at the times t, and the noise that was added: what the model has to predict."""
        noised, eps = warpath.ddpm_noise(x0.flatten(1), self.alpha_bar, t, seed=seed, offset=offset)
        return noised.view_as(x0), eps.view_as(x0)

    def forward(
        self,
        x: torch.Tensor,
        eps: torch.Tensor,
        t: torch.Tensor,
        previous: torch.Tensor | None = None,
        *,
        sampler: str = "ddpm",
        eta: float = 0.0,
        seed: int,
        offset: int = 0,
    ) -> torch.Tensor:
        """One step of sampling, from t to `previous`, or to t - 1."""
        flat = warpath.ddpm_step(
            x.flatten(1),
            eps.flatten(1),
            self.alpha_bar,
            t,
            previous,
            sampler=sampler,
            eta=eta,
            clip=self.clip,
            seed=seed,
            offset=offset,
        )
        return flat.view_as(x)
