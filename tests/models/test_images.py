"""ViT against Hugging Face's, the diffusion transformer against the same written out in PyTorch, and the PNG files it draws."""

import json
import math
import shutil
import struct
import zlib

import pytest
import torch
from conftest import check_slopes, dump, losses, relative, same, train, warpath
from draws import mixed, normal, shapes, times
from safetensors.torch import load_file, save_file
from steps import STEPS, check_bf16_steps
from torch import nn
from torch.nn.functional import cross_entropy, gelu, layer_norm, linear, silu
from transformers import ViTConfig, ViTForImageClassification

# Sizes that fill no tile and are no powers of two.
VIT = {
    "hidden_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 88,
    "image_size": 12,
    "patch_size": 4,
    "num_channels": 3,
    "num_labels": 7,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
# transformers 5 has other names in memory than in its files.
NAMES = [
    ("vit.layers.", "vit.encoder.layer."),
    ("attention.q_proj", "attention.attention.query"),
    ("attention.k_proj", "attention.attention.key"),
    ("attention.v_proj", "attention.attention.value"),
    ("attention.o_proj", "attention.output.dense"),
    ("mlp.fc1", "intermediate.dense"),
    ("mlp.fc2", "output.dense"),
]


def name_in_file(name: str) -> str:
    for memory, file in NAMES:
        name = name.replace(memory, file)
    return name


@pytest.fixture(scope="module")
def vit_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("vit")
    torch.manual_seed(0)
    model = ViTForImageClassification(ViTConfig(**VIT))
    for p in model.parameters():  # so that norms, biases and the class token count too
        p.data += 0.1 * torch.randn_like(p)
    model.save_pretrained(folder)
    return folder


def vit_loss(model, batch):
    images = batch["images"].view(-1, 3, 12, 12).to(model.dtype)
    logits = model(images).logits
    return cross_entropy(logits, batch["labels"].long()), logits


def test_vit_gradients(vit_folder, tmp_path):
    model = ViTForImageClassification.from_pretrained(vit_folder).double()
    got = dump(tmp_path, "--model", vit_folder, "--dtype", "f32", "--batch", 5)
    loss, logits = vit_loss(model, got)
    loss.backward()
    assert relative(got["loss"], loss.detach()) < 1e-5
    assert relative(got["logits"], logits.detach()) < 1e-5
    gradients = {name_in_file(n): p.grad for n, p in model.named_parameters()}
    assert {n[9:] for n in got if n.startswith("gradient.")} == set(gradients)
    for name, gradient in gradients.items():
        if name.endswith("key.bias"):  # in truth zero: a softmax does not see it
            assert float(got["gradient." + name].norm()) < 1e-6
        else:
            assert relative(got["gradient." + name], gradient) < 1e-4, name


def test_vit_bf16(vit_folder, tmp_path):
    """As near to the truth as PyTorch in bf16."""
    got = dump(tmp_path, "--model", vit_folder, "--dtype", "bf16", "--batch", 5)
    errors = {}
    for dtype in (torch.float64, torch.bfloat16):
        model = ViTForImageClassification.from_pretrained(vit_folder).to(dtype)
        loss, logits = vit_loss(model, got)
        loss.backward()
        gradients = {name_in_file(n): p.grad for n, p in model.named_parameters()}
        errors[dtype] = logits.detach(), gradients
    truth, theirs = errors[torch.float64], errors[torch.bfloat16]
    assert relative(got["logits"], truth[0]) < 1.5 * relative(theirs[0], truth[0]) + 2e-3
    # The loss: that of its own logits in f32, and as near to the truth as the logits let it be.
    labels = got["labels"].long()
    assert relative(got["loss"], cross_entropy(got["logits"].double(), labels)) < 1e-5
    spread = (theirs[0].double() - truth[0]).square().mean().sqrt()
    assert (got["loss"] - cross_entropy(truth[0], labels)).abs() < spread
    for name, gradient in truth[1].items():
        if not name.endswith("key.bias"):
            bar = 1.5 * relative(theirs[1][name], gradient) + 5e-3
            assert relative(got["gradient." + name], gradient) < bar, name


def test_three_steps_of_adamw(vit_folder, tmp_path):
    words = ("--model", vit_folder, "--dtype", "f32", "--batch", 4, "--steps", 3, "--warmup", 3)
    words += ("--rate", 1e-3, "--clip", 0.5, "--seed", 5, "--evaluate-every", 0)
    lines = train(*words, "--out", tmp_path / "run", "--save-every", 1)
    model = ViTForImageClassification.from_pretrained(vit_folder).double()
    optimizer = adamw(dict(model.named_parameters()))
    for step in range(3):
        again = ()
        if step > 0:  # the batch that a run resumed there would take
            shutil.copytree(
                tmp_path / f"run/step-00000{step}", tmp_path / f"at{step}/step-00000{step}"
            )
            again = ("--out", tmp_path / f"at{step}", "--resume")
        batch = dump(tmp_path, *words, *again)
        optimizer.zero_grad()
        loss, _ = vit_loss(model, batch)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        for group in optimizer.param_groups:
            group["lr"] = 1e-3 * (step + 1) / 3
        optimizer.step()
        assert losses(lines)[step] == pytest.approx(float(loss.detach()), rel=1e-4)
        assert lines[step]["norm"] == pytest.approx(float(norm), rel=1e-4)
    weights = load_file(tmp_path / "run/step-000003/model.safetensors")
    for name, p in model.named_parameters():
        if not name.endswith("k_proj.bias"):  # its gradient is rounding, which Adam scales up
            assert relative(weights[name_in_file(name)], p.detach()) < 1e-4, name
    # And back: Hugging Face reads what was written.
    written = ViTForImageClassification.from_pretrained(tmp_path / "run/step-000003").double()
    assert relative(written.classifier.weight.detach(), model.classifier.weight.detach()) < 1e-4
    assert written.config.num_labels == 7


def test_vit_three_steps_in_bf16(vit_folder, tmp_path):
    words = ("--model", vit_folder, "--dtype", "bf16", "--batch", 4, "--evaluate-every", 0)
    lines = train(*words, *STEPS, "--out", tmp_path / "run")
    model = ViTForImageClassification.from_pretrained(vit_folder)

    def loss_of(model, step):
        images, labels = shapes(5, step, 4, 12)
        return cross_entropy(model(images.to(model.dtype)).logits.double(), labels)

    def seen(name, change):
        return None if name.endswith("k_proj.bias") else change

    folder = tmp_path / "run/step-000003"
    check_bf16_steps(model, loss_of, lines, folder, decays, name_in_file, seen)


@pytest.mark.parametrize("kind", ["vit", "dit"])
def test_one_block_by_finite_differences(kind, request, tmp_path):
    """The noise of a diffusion model is fixed by the seed."""
    if kind == "vit":
        torch.manual_seed(0)
        model = ViTForImageClassification(ViTConfig(**VIT | {"num_hidden_layers": 1}))
        for p in model.parameters():
            p.data += 0.1 * torch.randn_like(p)
        model.save_pretrained(tmp_path)
    else:
        for file in ("config.json", "model.safetensors"):
            shutil.copy(request.getfixturevalue("dit_folder") / file, tmp_path)
    names = sorted(n for n in load_file(tmp_path / "model.safetensors") if ".layer.0." in n)
    names = [n for n in names if not n.endswith("key.bias")]  # in truth zero
    check_slopes(tmp_path, names[::3], "--batch", 2)


def decays(name: str, p: torch.Tensor) -> bool:
    return name.endswith("weight") and p.dim() > 1


def adamw(parameters: dict[str, nn.Parameter]) -> torch.optim.AdamW:
    """As warpath has it: matrices decay."""
    decay = [p for n, p in parameters.items() if decays(n, p)]
    others = [p for n, p in parameters.items() if not decays(n, p)]
    groups = [{"params": decay, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, betas=(0.9, 0.95), eps=1e-8)


def one_step(optimizer: torch.optim.AdamW, loss: torch.Tensor, step: int, steps: int, rate: float):
    warmup, least = max(1, steps // 20), rate / 10
    way = (step - warmup) / (steps - warmup)
    cosine = least + (rate - least) * 0.5 * (1 + math.cos(math.pi * way))
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1)
    for group in optimizer.param_groups:
        group["lr"] = rate * step / warmup if step <= warmup else cosine
    optimizer.step()


def test_vit_learns_shapes_as_hugging_faces_does(tmp_path):
    """From the same weights on the same images: the same losses, and as many classes right."""
    steps, batch, seed = 40, 16, 2
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2}
    model = ViTForImageClassification(ViTConfig(**VIT | sizes | {"num_labels": 6}))
    model.save_pretrained(tmp_path / "model")
    words = ("--model", tmp_path / "model", "--dtype", "f32", "--batch", batch, "--seed", seed)
    first, labels = shapes(seed, 0, batch, 12)
    got = dump(tmp_path, *words)
    assert relative(got["images"].view(-1, 3, 12, 12), first) < 1e-6
    assert torch.equal(got["labels"].long(), labels)
    lines = train(*words, "--steps", steps, "--rate", 3e-3, "--evaluate-every", steps)
    optimizer, theirs = adamw(dict(model.named_parameters())), []
    for step in range(1, steps + 1):
        images, labels = shapes(seed, step - 1, batch, 12)
        loss = cross_entropy(model(images).logits, labels)
        theirs.append(float(loss.detach()))
        one_step(optimizer, loss, step, steps, 3e-3)
    assert losses(lines) == pytest.approx(theirs, rel=0.01)
    assert theirs[-1] < 0.85 * theirs[0]
    held_out = [shapes((1 << 64) - 1, i, batch, 12) for i in range(4)]
    images, labels = (torch.cat(x) for x in zip(*held_out, strict=True))
    with torch.no_grad():
        logits = model(images).logits
    held_out_loss = float(cross_entropy(logits, labels))
    assert lines[-1]["evaluated_loss"] == pytest.approx(held_out_loss, rel=0.01)
    right = float((logits.argmax(1) == labels).double().mean())
    assert lines[-1]["accuracy"] == pytest.approx(right, abs=0.04) and right > 0.3


class PlainDit:
    """The diffusion transformer on the weights of a dump, in double."""

    def __init__(self, tensors, heads):
        self.heads = heads
        self.p = {
            n[10:]: nn.Parameter(t.double())
            for n, t in tensors.items()
            if n.startswith("parameter.dit.")
        }
        self.p = {n.removeprefix("dit."): t for n, t in self.p.items()}

    def linear(self, name, x):
        return linear(x, self.p[name + ".weight"].flatten(1), self.p[name + ".bias"])

    @staticmethod
    def norm(x, shift, scale):
        return layer_norm(x, x.shape[-1:], eps=1e-6) * (1 + scale[:, None]) + shift[:, None]

    def __call__(self, patches, times):
        width = self.p["time.0.bias"].numel()
        frequency = 10000.0 ** (-torch.arange(width // 2, dtype=torch.double) / (width // 2))
        angle = times.double()[:, None] * frequency
        time = self.linear("time.0", torch.cat([angle.cos(), angle.sin()], 1))
        time = silu(self.linear("time.2", silu(time)))
        s = self.linear("embeddings.patch_embeddings.projection", patches)
        s = s + self.p["embeddings.position_embeddings"]
        for i in range(sum(n.endswith("query.weight") for n in self.p)):
            name = f"encoder.layer.{i}."
            shift1, scale1, gate1, shift2, scale2, gate2 = self.linear(
                name + "modulation", time
            ).chunk(6, 1)
            x = self.norm(s, shift1, scale1)
            q, k, v = (
                self.linear(name + "attention.attention." + part, x)
                .unflatten(-1, (self.heads, -1))
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            a = (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v
            a = self.linear(name + "attention.output.dense", a.transpose(1, 2).flatten(2))
            s = s + gate1[:, None] * a
            x = gelu(self.linear(name + "intermediate.dense", self.norm(s, shift2, scale2)))
            s = s + gate2[:, None] * self.linear(name + "output.dense", x)
        return self.linear("head", self.norm(s, *self.linear("last_modulation", time).chunk(2, 1)))


def alpha_bar(schedule: str, times: int) -> torch.Tensor:
    if schedule == "linear":
        beta = torch.linspace(1e-4, 0.02, times, dtype=torch.double) * 1000 / times
    else:
        t = torch.arange(times + 1, dtype=torch.double) / times
        left = torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2
        beta = (1 - left[1:] / left[:-1]).clamp(max=0.999)
    return (1 - beta).cumprod(0)


def patches_of(images: torch.Tensor, patch: int) -> torch.Tensor:
    x = images.unflatten(2, (-1, patch)).unflatten(4, (-1, patch))  # B C r h s w
    return x.permute(0, 2, 4, 1, 3, 5).flatten(3).flatten(1, 2)


@pytest.fixture(scope="module")
def dit_folder(tmp_path_factory):
    """dit-tiny with its gates open: as it starts, most of its gradients are zero."""
    folder = tmp_path_factory.mktemp("dit")
    words = ("--model", "dit-tiny", "--batch", 2, "--steps", 1, "--evaluate-every", 0)
    train(*words, "--out", folder / "run", "--save-every", 1)
    torch.manual_seed(0)
    weights = load_file(folder / "run/step-000001/model.safetensors")
    weights = {n: w.float() + 0.1 * torch.randn(w.shape) for n, w in weights.items()}
    save_file(weights, folder / "model.safetensors")
    shutil.copy(folder / "run/step-000001/config.json", folder)
    return folder


def dit_loss(model, got, schedule):
    """The loss of a dump by the model in PyTorch, and the differences that it is made of."""
    times = got["times"].long()
    assert len(set(times.tolist())) > 2
    noise = got["noise"].view(5, 16, 48).double()
    assert abs(float(noise.mean())) < 0.06 and float(noise.std()) == pytest.approx(1, abs=0.05)
    a = alpha_bar(schedule, 200)[times][:, None, None]
    clean = patches_of(got["images"].view(5, 3, 16, 16), 4).double()
    noised = a.sqrt() * clean + (1 - a).sqrt() * noise
    assert relative(got["noised"].view(5, 16, 48), noised) < 1e-5
    difference = model(noised, times) - noise
    return difference.square().mean(), difference.detach()


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
@pytest.mark.parametrize("recompute", [False, True])
def test_dit_gradients(schedule, recompute, dit_folder, tmp_path):
    words = ("--model", dit_folder, "--batch", 5, "--schedule", schedule, "--dtype", "f32")
    got = dump(tmp_path, *words, *(("--recompute",) if recompute else ()))
    model = PlainDit(got, heads=4)
    loss, difference = dit_loss(model, got, schedule)
    loss.backward()
    assert relative(got["difference"].view(5, 16, 48), difference) < 1e-5
    assert relative(got["loss"], loss.detach()) < 1e-5
    assert {n[13:] for n in got if n.startswith("gradient.dit.")} == set(model.p)
    for name, p in model.p.items():
        if name.endswith("key.bias"):
            assert float(got["gradient.dit." + name].norm()) < 1e-6
        else:
            assert float(p.grad.norm()) > 1e-6, name
            assert relative(got["gradient.dit." + name], p.grad) < 1e-4, name


@pytest.mark.parametrize("model", ["vit_folder", "dit_folder"])
def test_a_graph_gives_the_same_bits(model, request, tmp_path):
    """Images, labels and noise of each micro-batch are its own; a graph with one set would train on the last twice."""
    words = ("--model", request.getfixturevalue(model), "--dtype", "f32", "--batch", 2)
    words += ("--accumulate", 2, "--steps", 3, "--evaluate-every", 0)
    plain = train(*words, "--out", tmp_path / "a")
    assert losses(train(*words, "--graph", "--out", tmp_path / "b")) == losses(plain)
    assert same(tmp_path / "a/step-000003", tmp_path / "b/step-000003")


def test_dit_starts_as_the_identity(tmp_path):
    """Gates, scales and shifts are zero, and so is the prediction; of the gradients only the head's is not."""
    got = dump(tmp_path, "--model", "dit-tiny", "--batch", 5, "--dtype", "f32")
    for name, t in got.items():
        if "modulation" in name and name.startswith("parameter."):
            assert t.abs().max() == 0, name
        if name.startswith("gradient."):
            assert (t.abs().max() > 0) == name.startswith("gradient.dit.head."), name
    assert torch.equal(got["difference"], -got["noise"])


def test_a_dit_of_another_form_is_refused(dit_folder, tmp_path):
    config = json.loads((dit_folder / "config.json").read_text())
    older = {key: value for key, value in config.items() if key != "conditioning"}
    for changed, why in [
        (older, "'conditioning' is missing: an older model whose time is a token"),
        (config | {"conditioning": "cross"}, "only adaln_zero is known"),
    ]:
        (tmp_path / "config.json").write_text(json.dumps(changed))
        done = warpath("--model", tmp_path, status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1


def read_png(file) -> bytes:
    """Its pixels; the check sums are checked."""
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        body = data[at + 4 : at + 8 + size]
        assert struct.unpack(">I", data[at + 8 + size : at + 12 + size])[0] == zlib.crc32(body)
        chunks[body[:4]] = body[4:]
        at += 12 + size
    width, height, depth, colour = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert (width, height, depth, colour) == (16, 16, 8, 2) and list(chunks)[-1] == b"IEND"
    lines = zlib.decompress(chunks[b"IDAT"])
    assert len(lines) == 16 * (1 + 48) and set(lines[::49]) == {0}
    return b"".join(lines[i * 49 + 1 : (i + 1) * 49] for i in range(16))


def draw_by_torch(model, seed: int, count: int, steps: int, ddim: bool, eta: float) -> torch.Tensor:
    """What `generate` draws, as bytes of pixels."""
    a = alpha_bar("cosine", 200).float().double()
    x = normal(count * 16 * 48, seed, 0).view(count, 16, 48)
    visited = [i * 199 // (steps - 1) for i in reversed(range(steps))]
    for number, (t, previous) in enumerate(zip(visited, [*visited[1:], -1], strict=True), 1):
        with torch.no_grad():
            eps = model(x, torch.full((count,), t))
        at, before = float(a[t]), float(a[previous]) if previous >= 0 else 1.0
        x0 = ((x - math.sqrt(1 - at) * eps) / math.sqrt(at)).clamp(-1, 1)
        s = math.sqrt(max(0.0, (1 - before) / (1 - at) * (before - at) / before))
        z = normal(x.numel(), seed, number).view_as(x)
        if ddim:
            x = math.sqrt(before) * x0 + math.sqrt(1 - before - (eta * s) ** 2) * eps + eta * s * z
        else:
            x = (
                math.sqrt(before) * (before - at) / (before * (1 - at)) * x0
                + math.sqrt(at / before) * (1 - before) / (1 - at) * x
                + s * z
            )
    x = x.unflatten(1, (4, 4)).unflatten(3, (3, 4, 4)).permute(0, 1, 4, 2, 5, 3)
    return (255 * ((x + 1) / 2).clamp(0, 1)).reshape(count, 16, 16, 3)


def test_a_diffusion_model_learns_and_draws(tmp_path):
    """Trained as the same model in PyTorch on the same images, times and noise; drawn pixel by pixel as that one draws."""
    run, steps, batch, seed = tmp_path / "run", 40, 16, 4
    words = ("--model", "dit-tiny", "--batch", batch, "--seed", seed, "--steps", steps)
    lines = train(*words, "--out", run, "--evaluate-every", 0)
    assert losses(lines)[0] == pytest.approx(1.0, abs=0.1)  # it predicts no noise at all
    assert sum(losses(lines)[-5:]) / 5 < 0.7
    model, theirs = PlainDit(dump(tmp_path, *words), heads=4), []
    optimizer = adamw(model.p)
    for step in range(1, steps + 1):
        t = times(seed, step - 1, batch, 200)
        a = alpha_bar("cosine", 200)[t][:, None, None]
        clean = patches_of(shapes(seed, step - 1, batch, 16)[0], 4).double()
        noise = normal(clean.numel(), mixed(seed) >> 1, step - 1).view_as(clean)
        loss = (model(a.sqrt() * clean + (1 - a).sqrt() * noise, t) - noise).square().mean()
        theirs.append(float(loss.detach()))
        one_step(optimizer, loss, step, steps, 3e-3)
    assert losses(lines) == pytest.approx(theirs, rel=0.01)
    saved = load_file(run / f"step-{steps:06}/model.safetensors")
    model = PlainDit({"parameter." + n: w for n, w in saved.items()}, heads=4)

    def draw(*more, ddim=True, eta=0.0):
        folder = tmp_path / "-".join(map(str, more))
        line = ("--model", run, "--images", 3, "--sampling-steps", 6, "--out", folder, *more)
        files = json.loads(warpath("--json", *line, command="generate").stdout)["images"]
        assert [f.split("/")[-1] for f in files] == [f"image-00{i}.png" for i in range(3)]
        got = b"".join(read_png(folder / f"image-00{i}.png") for i in range(3))
        got = torch.tensor(list(got), dtype=torch.double).view(3, 16, 16, 3)
        want = draw_by_torch(model, 1 if "--seed" in more else 0, 3, 6, ddim, eta)
        assert (got - want).abs().max() < 1.1  # rounded to whole numbers
        return got

    first = draw("--seed", 1)
    others = [draw(), draw("--eta", 1, "--seed", 1, eta=1.0)]
    others.append(draw("--sampler", "ddpm", "--seed", 1, ddim=False))
    assert all((first - other).abs().max() > 50 for other in others)


def test_refused(tmp_path, vit_folder):
    for command, words, why in [
        ("train", ("--model", "vit-tiny", "--sequence", 8), "sees images"),
        ("train", ("--model", "vit-tiny", "--schedule", "linear"), "--schedule is for diffusion"),
        ("train", ("--model", "dit-tiny", "--schedule", "even"), "--schedule even"),
        ("train", ("--model", "vit-tiny", "--data", vit_folder / "config.json"), "sees images"),
        ("generate", ("--model", vit_folder), "tells images apart"),
    ]:
        done = warpath(*words, status=2, command=command)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1
    config = json.loads((vit_folder / "config.json").read_text())
    for key, value, why in [
        ("image_size", 1 << 40, "image_size"),
        ("patch_size", 0, "patch_size"),
        ("hidden_act", "relu", "hidden_act"),
        ("qkv_bias", False, "qkv_bias"),
        ("id2label", [], "id2label"),
    ]:
        (tmp_path / "config.json").write_text(json.dumps(config | {key: value}))
        done = warpath("--model", tmp_path, status=2)
        assert why in done.stderr and len(done.stderr.splitlines()) == 1
