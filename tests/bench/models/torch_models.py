#!/usr/bin/env python3
"""PyTorch's side of record.py: GPT-2 and Llama of the same shapes. Each command prints one JSON
object.

torch_models.py train SHAPE BATCH SEQUENCE STEPS    tokens per second of training in bf16 with fused AdamW
torch_models.py read SHAPE TOKENS                   milliseconds to read a prompt
torch_models.py weights SHAPE DIR                   random weights as Hugging Face's files have them
torch_models.py copy                                bytes per second, read and written

On a GPU by torch.compile, whose attention is the flash kernel; on a CPU eager, to see that it runs.
"""

import json
import statistics
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

GPU = torch.cuda.is_available()
DEVICE = "cuda" if GPU else "cpu"
WARM_UP = 3 if GPU else 1


@dataclass
class Shape:
    family: str
    vocabulary: int
    context: int
    width: int
    layers: int
    heads: int
    kv_heads: int
    hidden: int
    tied: bool = True

    @property
    def head_dim(self):
        return self.width // self.heads


SHAPES = {
    "gpt2-124m": Shape("gpt2", 50304, 1024, 768, 12, 12, 12, 3072),
    "llama-1b": Shape("llama", 128256, 8192, 2048, 16, 32, 8, 8192),
    "llama-8b": Shape("llama", 128256, 8192, 4096, 32, 32, 8, 14336, tied=False),
    # Those of models/config.cpp.
    "toy": Shape("gpt2", 55, 32, 32, 2, 4, 4, 128),
    "toy-llama": Shape("llama", 55, 32, 32, 2, 4, 2, 96),
    "toy-llama-bytes": Shape("llama", 256, 64, 64, 2, 4, 2, 192),
}


def turned(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Rotary positions, by halves."""
    low, high = x.chunk(2, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


class Block(nn.Module):
    def __init__(self, s: Shape):
        super().__init__()
        self.s, gpt2 = s, s.family == "gpt2"
        norm = (lambda: nn.LayerNorm(s.width)) if gpt2 else (lambda: nn.RMSNorm(s.width, eps=1e-5))
        wide = (s.heads + 2 * s.kv_heads) * s.head_dim
        self.norm1, self.norm2 = norm(), norm()
        self.qkv = nn.Linear(s.width, wide, bias=gpt2)
        self.out = nn.Linear(s.width, s.width, bias=gpt2)
        self.up = nn.Linear(s.width, s.hidden if gpt2 else 2 * s.hidden, bias=gpt2)
        self.down = nn.Linear(s.hidden, s.width, bias=gpt2)

    def forward(self, x, cos, sin):
        s, (batch, length, _) = self.s, x.shape
        heads = self.qkv(self.norm1(x)).view(batch, length, -1, s.head_dim).transpose(1, 2)
        q, k, v = heads.split([s.heads, s.kv_heads, s.kv_heads], 1)
        if s.family == "llama":
            q, k = turned(q, cos, sin), turned(k, cos, sin)
        grouped = s.heads != s.kv_heads
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=grouped)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, s.width))
        h = self.up(self.norm2(x))
        if s.family == "gpt2":
            return x + self.down(F.gelu(h, approximate="tanh"))
        gate, up = h.chunk(2, -1)
        return x + self.down(F.silu(gate) * up)


class Model(nn.Module):
    def __init__(self, s: Shape):
        super().__init__()
        self.s = s
        self.tokens = nn.Embedding(s.vocabulary, s.width)
        self.positions = nn.Embedding(s.context, s.width) if s.family == "gpt2" else None
        self.blocks = nn.ModuleList(Block(s) for _ in range(s.layers))
        last = nn.LayerNorm if s.family == "gpt2" else nn.RMSNorm
        self.norm = last(s.width, eps=1e-5)
        self.head = nn.Linear(s.width, s.vocabulary, bias=False)
        for p in self.parameters():
            if p.dim() == 2:
                nn.init.normal_(p, 0, 0.02)
        if s.tied:
            self.head.weight = self.tokens.weight
        inverse = 500000.0 ** (-torch.arange(0, s.head_dim, 2) / s.head_dim)
        angle = torch.arange(s.context)[:, None] * inverse
        self.register_buffer("cos", angle.cos(), persistent=False)
        self.register_buffer("sin", angle.sin(), persistent=False)

    def forward(self, ids, labels=None):
        length = ids.shape[1]
        x = self.tokens(ids)
        if self.positions is not None:
            x = x + self.positions(torch.arange(length, device=ids.device))
        cos, sin = self.cos[:length].to(x.dtype), self.sin[:length].to(x.dtype)
        for block in self.blocks:
            x = block(x, cos, sin)
        if labels is None:  # of the last token
            return self.head(self.norm(x[:, -1]))
        return F.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels.flatten())


def seconds_of(work, times: int) -> list[float]:
    for _ in range(WARM_UP):
        work()
    found = []
    for _ in range(times):
        if GPU:
            torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        if GPU:
            torch.cuda.synchronize()
        found.append(time.perf_counter() - begin)
    return found


def train(shape: str, batch: str, sequence: str, steps: str):
    torch.set_float32_matmul_precision("high")
    model, size = Model(SHAPES[shape]).to(DEVICE), (int(batch), int(sequence))
    run = torch.compile(model) if GPU else model
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-4, betas=(0.9, 0.95), fused=True)
    ids, labels = (
        torch.randint(0, SHAPES[shape].vocabulary, size, device=DEVICE) for _ in range(2)
    )

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast(DEVICE, torch.bfloat16):
            loss = run(ids, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.item()

    seconds = statistics.median(seconds_of(step, int(steps)))
    parameters = sum(p.numel() for p in model.parameters())
    return {"tokens_per_second": size[0] * size[1] / seconds, "parameters": parameters}


@torch.no_grad()
def read(shape: str, tokens: str):
    with torch.device(DEVICE):
        model = Model(SHAPES[shape]).bfloat16()
    run = torch.compile(model) if GPU else model
    ids = torch.randint(0, SHAPES[shape].vocabulary, (1, int(tokens)), device=DEVICE)
    return {"ms": 1e3 * statistics.median(seconds_of(lambda: run(ids), 10 if GPU else 1))}


def weights(shape: str, folder: str):
    """One tensor after the other: the whole would be twice in memory."""
    s, place = SHAPES[shape], Path(folder)
    q, kv = s.width, s.kv_heads * s.head_dim
    layer = {
        "input_layernorm.weight": [s.width],
        "self_attn.q_proj.weight": [q, s.width],
        "self_attn.k_proj.weight": [kv, s.width],
        "self_attn.v_proj.weight": [kv, s.width],
        "self_attn.o_proj.weight": [s.width, q],
        "post_attention_layernorm.weight": [s.width],
        "mlp.gate_proj.weight": [s.hidden, s.width],
        "mlp.up_proj.weight": [s.hidden, s.width],
        "mlp.down_proj.weight": [s.width, s.hidden],
    }
    tensors = {"model.embed_tokens.weight": [s.vocabulary, s.width]}
    for i in range(s.layers):
        tensors |= {f"model.layers.{i}.{name}": size for name, size in layer.items()}
    tensors["model.norm.weight"] = [s.width]
    if not s.tied:
        tensors["lm_head.weight"] = [s.vocabulary, s.width]
    header, end = {}, 0
    for name, size in tensors.items():
        begin, end = end, end + 2 * torch.Size(size).numel()
        header[name] = {"dtype": "BF16", "shape": size, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    place.mkdir(parents=True, exist_ok=True)
    with (place / "model.safetensors").open("wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
        for size in tensors.values():
            t = 0.02 * torch.randn(size, device=DEVICE) + (len(size) == 1)
            out.write(t.bfloat16().cpu().view(torch.int16).numpy().tobytes())
    config = {
        "model_type": "llama",
        "vocab_size": s.vocabulary,
        "max_position_embeddings": s.context,
        "hidden_size": s.width,
        "intermediate_size": s.hidden,
        "num_hidden_layers": s.layers,
        "num_attention_heads": s.heads,
        "num_key_value_heads": s.kv_heads,
        "head_dim": s.head_dim,
        "rms_norm_eps": 1e-5,
        "rope_theta": 500000.0,
        "hidden_act": "silu",
        "tie_word_embeddings": s.tied,
    }
    (place / "config.json").write_text(json.dumps(config))
    return asdict(s) | {"bytes": end}


def copy():
    x = torch.empty(1 << (30 if GPU else 20), dtype=torch.uint8, device=DEVICE)
    y = torch.empty_like(x)
    return {"bytes_per_second": 2 * x.numel() / min(seconds_of(lambda: y.copy_(x), 10))}


def main():
    commands = {"train": train, "read": read, "weights": weights, "copy": copy}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    result = commands[sys.argv[1]](*sys.argv[2:])
    print(json.dumps({"torch": torch.__version__} | result))


main()
