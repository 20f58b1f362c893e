"""tokenizer.json against Hugging Face's tokenizers: ids, decoding, damaged files."""

import json
import pathlib
import subprocess
import sys
import unicodedata

import pytest
from conftest import PROGRAM, losses, make_model, train, warpath
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

ROOT = pathlib.Path(__file__).parents[2]
LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
NASTY = [
    "",
    " ",
    "a",
    "\n",
    "   leading, and trailing   ",
    "tabs\t\tand\r\n\r\nlines \n \n  x\n\n",
    "I'm they're we've he'll she'd it's 'tis 'S 'RE 'LL don'T 'x '",
    "'\u017f long s, 'K kelvin \u212a",
    "1 12 123 1234 12345678 3.14159 1,000,000 x2y3",
    "\u0663\u0664 \u00bd \u2167 \u4e00\u4e8c",
    "na\u00efve caf\u00e9 e\u0301 a\u0300\u0301\u0302 \u0e01\u0e33",
    "\u6f22\u5b57\u304b\u306a\u30ab\u30ca \ud55c\uad6d\uc5b4 \u4f60\u597d\uff0c\u4e16\u754c\u3002",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f1e9\U0001f1ea \u2764\ufe0f",
    "\u00a0nbsp\u2003em\u3000wide\u2028line\u0085next\u200bzero",
    "code(x)->{y[3]}; // ===\n\tif (a!=b) return;\n",
    "<|end|>a<|end|> <|end|><|endless|><pad>  \n<|end|",
    "\x00\x01\x7f\ufffd\U0010ffff",
    " " * 1000 + "x" + "\n" * 999 + "!" * 777,
    "the quick brown fox " * 50,
]


def text_of_ours() -> list[str]:
    return [(ROOT / f"docs/{name}.md").read_text() for name in ("models", "architecture")]


def trained(tokenizer: Tokenizer, size: int, **words) -> Tokenizer:
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **words)
    tokenizer.train_from_iterator(text_of_ours(), trainer)
    return tokenizer


def gpt2() -> Tokenizer:
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    t.decoder = decoders.ByteLevel()
    trained(t, 700, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    t.add_special_tokens(["<|end|>", "<|endless|>"])
    t.add_tokens([AddedToken("<pad>", lstrip=True, rstrip=True)])
    return t


def smol() -> Tokenizer:
    """SmolLM's form: digits are words of their own.."""
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    t.decoder = decoders.ByteLevel()
    return trained(t, 500, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())


def llama3() -> Tokenizer:
    t = Tokenizer(models.BPE(ignore_merges=True))
    t.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    t.decoder = decoders.ByteLevel()
    trained(t, 900, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    t.add_special_tokens(["<|begin|>", "<|end|>"])
    t.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=False),
            processors.TemplateProcessing(
                "<|begin|> $A", special_tokens=[("<|begin|>", t.token_to_id("<|begin|>"))]
            ),
        ]
    )
    return t


def fallback() -> Tokenizer:
    """Llama 2's form: characters, and bytes for those that are not in the vocabulary."""
    t = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    t.normalizer = normalizers.Sequence(
        [normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]
    )
    t.decoder = decoders.Sequence(
        [
            decoders.Replace("\u2581", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    specials = ["<unk>", "<s>", "<|end|>", *(f"<0x{i:02X}>" for i in range(256))]
    trained(t, 600, special_tokens=specials[:3])
    # The trainer would make tokens of bytes special; Llama's are part of the vocabulary.
    j = json.loads(t.to_str())
    for name in specials[3:]:
        j["model"]["vocab"][name] = len(j["model"]["vocab"])
    t = Tokenizer.from_str(json.dumps(j))
    t.post_processor = processors.TemplateProcessing("<s> $A", special_tokens=[("<s>", 1)])
    return t


KINDS = {"gpt2": gpt2, "smol": smol, "llama3": llama3, "fallback": fallback}


@pytest.fixture(scope="module", params=KINDS)
def made(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    tokenizer = KINDS[request.param]()
    tokenizer.save(str(folder / "tokenizer.json"))
    return request.param, tokenizer, folder


def tokenised(folder: pathlib.Path, texts: list[bytes]) -> list[dict]:
    files = []
    for i, text in enumerate(texts):
        files.append(folder / f"text-{i}")
        files[-1].write_bytes(text)
    words = [word for file in files for word in ("--tokenise", str(file))]
    done = subprocess.run(
        [PROGRAM, "generate", "--model", str(folder), "--json", *words],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_ids(made):
    kind, theirs, folder = made
    texts = [*NASTY, "z" * (1 << 20), *text_of_ours()]
    for line, text in zip(tokenised(folder, [t.encode() for t in texts]), texts, strict=True):
        want = theirs.encode(text).ids
        assert line["ids"] == want, repr(text[:60])
        assert line["text"] == theirs.decode(want, skip_special_tokens=True), repr(text[:60])
        # Only a token that takes the spaces beside it loses them.
        assert line["round_trip"] or "<pad>" in text or kind == "fallback"


def test_prefix_space(tmp_path):
    theirs = gpt2()
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    theirs.save(str(tmp_path / "tokenizer.json"))
    for line, text in zip(tokenised(tmp_path, [t.encode() for t in NASTY]), NASTY, strict=True):
        assert line["ids"] == theirs.encode(text).ids, repr(text[:60])


def test_any_bytes(made):
    """What is no UTF-8 comes back as it was, and what surrounds it has the tokens that it had."""
    kind, theirs, folder = made
    texts = [b"\xff", b"a\xffb\xc3", b"\xed\xa0\x80\xc0\xaf\xf5", bytes(range(256))]
    for line in tokenised(folder, texts):
        assert line["round_trip"] or kind == "fallback"
    line = tokenised(folder, [b"the \xe2\x82 cat"])[0]
    assert line["ids"][-1] == theirs.encode("the cat").ids[-1]
    assert line["text"] == "the \ufffd cat"


def test_every_character(tmp_path):
    """Letter, number, space or none of them: merges show it, for they cross no border of words."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = dict.fromkeys(alphabet) | {a + b: None for a in "x1!" for b in alphabet}
    vocabulary = {name: i for i, name in enumerate(vocabulary)}
    merges = [(a, b) for a in "x1!" for b in alphabet]
    kinds = [unicodedata.category(chr(c)) for c in range(0x30000)]
    # Of long ranges of one kind the ends, and every sixteenth.
    characters = [
        chr(c)
        for c, kind in enumerate(kinds)
        if kind not in ("Cs", "Cn", "Co") and (c % 16 == 0 or set(kinds[c - 1 : c + 2]) != {kind})
    ]
    text = "".join(f"x{c}1{c}!{c} " for c in characters)
    for pattern in ("gpt2", "llama3"):
        theirs = Tokenizer(models.BPE(vocabulary, merges))
        theirs.pre_tokenizer = KINDS[pattern]().pre_tokenizer
        theirs.save(str(tmp_path / "tokenizer.json"))
        got = tokenised(tmp_path, [text.encode()])[0]["ids"]
        assert got == theirs.encode(text).ids


def test_merges_in_both_forms(tmp_path):
    gpt2().save(str(tmp_path / "tokenizer.json"))
    file = tmp_path / "tokenizer.json"
    text = text_of_ours()[0].encode()
    want = tokenised(tmp_path, [text])
    j = json.loads(file.read_text())
    j["model"]["merges"] = [
        m.split(" ") if isinstance(m, str) else " ".join(m) for m in j["model"]["merges"]
    ]
    file.write_text(json.dumps(j))
    assert tokenised(tmp_path, [text]) == want


def set_in(*path):
    *keys, value = path

    def change(j):
        for key in keys[:-1]:
            j = j[key]
        j[keys[-1]] = value

    return change


DAMAGE = {
    "no object": (lambda j: j.clear(), "'model'"),
    "another model": (set_in("model", "type", "Unigram"), "no BPE"),
    "vocabulary": (set_in("model", "vocab", [1, 2]), "'vocab'"),
    "empty": (set_in("model", "vocab", {}), "empty"),
    "negative id": (set_in("model", "vocab", "a", -1), '"a"'),
    "huge id": (set_in("model", "vocab", "a", 1 << 60), '"a"'),
    "text as id": (set_in("model", "vocab", "a", "7"), '"a"'),
    "two with one id": (set_in("model", "vocab", "a", 3), "the id 3"),
    "merge of one": (set_in("model", "merges", ["abc"]), '"abc"'),
    "merge of three": (set_in("model", "merges", [["a", "b", "c"]]), "no pair"),
    "merge of nothing": (set_in("model", "merges", [["a", "\u4e00"]]), "not in the vocabulary"),
    "merge as number": (set_in("model", "merges", [7]), "no pair"),
    "unknown token": (set_in("model", "unk_token", "<none>"), "<none>"),
    "dropout": (set_in("model", "dropout", 0.1), "dropout"),
    "pattern": (
        set_in("pre_tokenizer", {"type": "Split", "pattern": {"Regex": "(a+)+$"}}),
        "pattern that is not known",
    ),
    "pre-tokenizer": (set_in("pre_tokenizer", {"type": "BertPreTokenizer"}), "BertPreTokenizer"),
    "normalizer": (set_in("normalizer", {"type": "NFKC"}), "NFKC"),
    "decoder": (set_in("decoder", {"type": "WordPiece"}), "WordPiece"),
    "added without id": (set_in("added_tokens", [{"content": "<x>"}]), "<x>"),
    "added without text": (set_in("added_tokens", [{"id": 3, "content": ""}]), "without any text"),
    "template": (
        set_in("post_processor", {"type": "TemplateProcessing", "single": [{"Sequence": {}}] * 2}),
        "two texts",
    ),
}


@pytest.fixture(scope="module")
def gpt2_json(tmp_path_factory):
    file = tmp_path_factory.mktemp("whole") / "tokenizer.json"
    gpt2().save(str(file))
    return file.read_text()


def refused(folder: pathlib.Path) -> str:
    done = subprocess.run(
        [PROGRAM, "generate", "--model", str(folder), "--tokenise", __file__],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2 and done.stdout == "" and len(done.stderr.splitlines()) == 1
    assert "tokenizer.json" in done.stderr
    return done.stderr


@pytest.mark.parametrize("name", DAMAGE)
def test_damaged(name, gpt2_json, tmp_path):
    change, expected = DAMAGE[name]
    j = json.loads(gpt2_json)
    change(j)
    (tmp_path / "tokenizer.json").write_text(json.dumps(j))
    assert expected in refused(tmp_path)


def test_damaged_bytes(gpt2_json, tmp_path):
    whole = gpt2_json.encode()
    for damaged in (b"", b"{", whole[:1000], b"[" * 100000, whole[:500] + b"\xff" + whole[500:]):
        (tmp_path / "tokenizer.json").write_bytes(damaged)
        refused(tmp_path)


def test_table_is_the_scripts(tmp_path):
    """Where this Python knows the same version of Unicode."""
    table = (ROOT / "models/text/unicode_table.h").read_text()
    if f"Unicode {unicodedata.unidata_version}:" not in table:
        pytest.skip(f"the table is not of Unicode {unicodedata.unidata_version}")
    script = ROOT / "models/text/make_unicode_table.py"
    assert subprocess.check_output([sys.executable, script], text=True) == table


@pytest.mark.parametrize("kind", ["llama3", "fallback"])
def test_training_and_generating(kind, tmp_path):
    """`train --data` takes the folder's tokenizer, a checkpoint keeps it, `generate` reads it."""
    theirs = KINDS[kind]()
    make_model("gpt2", tmp_path, vocab_size=theirs.get_vocab_size() + 3)
    theirs.save(str(tmp_path / "tokenizer.json"))
    text = (tmp_path / "tokenizer.json").read_bytes()
    (tmp_path / "text").write_text("".join(text_of_ours()))
    words = ("--dtype", "f32", "--batch", 2, "--sequence", 24, "--steps", 2, "--evaluate-every", 0)
    words += ("--data", tmp_path / "text", "--model", tmp_path)
    lines = train(*words, "--out", tmp_path / "run")
    saved = tmp_path / "run/step-000002"
    assert (saved / "tokenizer.json").read_bytes() == text
    (tmp_path / "tokenizer.json").unlink()
    assert losses(lines) != losses(train(*words))  # bytes
    words = ("--prompt", "the cache of", "--max-new", 5, "--json", "--seed", 1)
    done = warpath("--model", tmp_path / "run", *words, command="generate")
    line = json.loads(done.stdout)
    assert line["prompt_ids"] == theirs.encode("the cache of").ids
    assert len(line["ids"]) == 5
    assert theirs.decode(line["prompt_ids"] + line["ids"]) == line["prompt"] + line["text"]


def test_vocabulary_must_fit(tmp_path):
    make_model("gpt2", tmp_path, vocab_size=300)
    gpt2().save(str(tmp_path / "tokenizer.json"))
    done = warpath("--model", tmp_path, command="generate", status=2)
    assert "tokenizer.json" in done.stderr and "300" in done.stderr
