"""Optimizers on Warpath's ops, drop-in for those of torch.optim with the same names.

optimizer = warpath.optim.AdamW(model.parameters(), lr=3e-4, clip_grad_norm=1.0)
loss.backward()
optimizer.step()               # the norm, the factor and the step: a few launches, no wait on the host
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

import torch

import warpath

# Of torch's options: those that change the result in a way that warpath.adamw does not have.
_UNSUPPORTED = ("amsgrad", "maximize", "capturable", "differentiable")
_MOMENTS = ("exp_avg", "exp_avg_sq")


def _must_be_one(lr: float | torch.Tensor) -> None:
    if isinstance(lr, torch.Tensor) and lr.numel() != 1:
        raise ValueError(f"warpath.optim.AdamW: lr has {lr.numel()} elements; it takes one")


class AdamW(torch.optim.Optimizer):
    """torch.optim.AdamW by warpath.adamw: all tensors of a parameter group in a few launches.

    `clip_grad_norm` clips the norm of all gradients together before the step; `grad_norm` then has it, as a tensor on
    the device. With `master_weights`, 16-bit parameters keep f32 weights in the optimizer's state. The moments are f32
    whatever the type of a parameter. State dicts are torch's: checkpoints move between both. `lr` may be a tensor, beside
    the parameters or on the CPU: beside them it is read by the kernel, and no one waits for it on the host.
    """

    def __init__(
        self,
        params: Iterable,
        lr: float | torch.Tensor = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        clip_grad_norm: float | None = None,
        master_weights: bool = False,
    ) -> None:
        _must_be_one(lr)
        for name, value, good in (
            ("lr", lr, lambda: lr >= 0),
            ("betas", betas, lambda: len(betas) == 2 and all(0 <= b < 1 for b in betas)),
            ("eps", eps, lambda: eps >= 0),
            ("weight_decay", weight_decay, lambda: weight_decay >= 0),
            (
                "clip_grad_norm",
                clip_grad_norm,
                lambda: clip_grad_norm is None or clip_grad_norm > 0,
            ),
        ):
            try:
                fits = good()
            except TypeError:  # no number at all
                raise TypeError(f"warpath.optim.AdamW: {name} is {value!r}") from None
            if not fits:
                raise ValueError(f"warpath.optim.AdamW: {name} is {value}")
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,  # these two choose a way in torch: here there is one
            "fused": fused,
            "capturable": capturable,
            "differentiable": differentiable,
            "decoupled_weight_decay": True,
        }
        self.clip_grad_norm = clip_grad_norm
        self.master_weights = master_weights
        self.grad_norm: torch.Tensor | None = None
        super().__init__(params, defaults)

    def add_param_group(self, param_group: dict) -> None:
        super().add_param_group(param_group)
        self._refuse(self.param_groups[-1])

    @staticmethod
    def _refuse(group: dict) -> None:
        for name in _UNSUPPORTED:
            if group.get(name):
                raise NotImplementedError(f"warpath.optim.AdamW: {name} is not supported")
        _must_be_one(group["lr"])

    def load_state_dict(self, state_dict: dict) -> None:
        """As torch's, except that moments stay f32 whatever the type of their parameter."""
        super().load_state_dict(state_dict)
        for group, saved in zip(self.param_groups, state_dict["param_groups"], strict=True):
            self._refuse(group)
            for p, index in zip(group["params"], saved["params"], strict=True):
                for name, value in state_dict["state"].get(index, {}).items():
                    if name in (*_MOMENTS, "master"):
                        copy = value.detach().to(p.device, torch.float32, copy=True)
                        self.state[p][name] = copy.contiguous()

    def _state_of(self, p: torch.Tensor) -> dict:
        state = self.state[p]
        if not state:
            state["step"] = torch.tensor(0.0)  # on the CPU, as torch has it
            for name in _MOMENTS:
                state[name] = torch.zeros(p.shape, dtype=torch.float32, device=p.device)
        if self.master_weights and p.dtype != torch.float32 and "master" not in state:
            state["master"] = p.detach().float().contiguous()
        return state

    def _clip_factor(self, gradients: list[torch.Tensor]) -> torch.Tensor | None:
        """On the device; sets grad_norm."""
        if self.clip_grad_norm is None or not gradients:
            return None
        by_type = defaultdict(list)
        for g in gradients:
            if g.device != gradients[0].device:
                raise NotImplementedError(
                    "warpath.optim.AdamW: clip_grad_norm takes parameters of one device"
                )
            by_type[g.dtype].append(g)
        found = [warpath.grad_norm(some, max_norm=self.clip_grad_norm) for some in by_type.values()]
        if len(found) == 1:
            norm, factor = found[0]
        else:
            norm = torch.linalg.vector_norm(torch.cat([norm for norm, _ in found])).reshape(1)
            factor = (self.clip_grad_norm / (norm + 1e-6)).clamp(max=1.0)
        self.grad_norm = norm.reshape(())
        return factor

    @torch.no_grad()
    def step(self, closure: Callable | None = None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        updated = [
            (group, [p for p in group["params"] if p.grad is not None])
            for group in self.param_groups
        ]
        for _, params in updated:
            if any(p.grad.is_sparse for p in params):
                raise NotImplementedError("warpath.optim.AdamW: sparse gradients are not supported")
        factor = self._clip_factor([p.grad for _, params in updated for p in params])
        for group, params in updated:
            self._refuse(group)
            self._step_group(group, params, factor)
        return loss

    def _step_group(self, group: dict, params: list, factor: torch.Tensor | None) -> None:
        # One call takes one type, one device and one step: usually that is the whole group.
        calls = defaultdict(list)
        for p in params:
            state = self._state_of(p)
            state["step"] += 1
            calls[p.dtype, p.device, int(state["step"]), "master" in state].append(p)
        lr = group["lr"]
        for (_, device, step, has_master), some in calls.items():
            states = [self.state[p] for p in some]
            if isinstance(lr, torch.Tensor) and lr.device.type == device.type:
                lr_step = torch.full((2,), step, dtype=torch.float32, device=device)
                lr_step[:1].copy_(lr.detach().reshape(1))
                told = {"lr_step": lr_step}
            else:
                told = {"lr": float(lr), "step": step}
            warpath.adamw(
                some,
                [p.grad for p in some],
                *([state[name] for state in states] for name in _MOMENTS),
                [state["master"] for state in states] if has_master else None,
                grad_scale=factor,
                **told,
                beta1=float(group["betas"][0]),
                beta2=float(group["betas"][1]),
                eps=group["eps"],
                weight_decay=group["weight_decay"],
            )
            torch.autograd.graph.increment_version(some)


__all__ = ["AdamW"]
