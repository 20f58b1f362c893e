"""The toy, trained as `./warpath train` trains it: its sentences are those of the grammar."""

import json
import re

import pytest
from conftest import losses, train, warpath
from tokenizers import Tokenizer

ADJECTIVE = "(?: (?:small|red|old|happy|green|quiet))?"
NOUNS = "dog|cat|bird|tree|house|ball"
ONE = rf"(?:the|a|one|this){ADJECTIVE} (?:{NOUNS}|child|fish)"
MANY = rf"(?:the|two|some|these){ADJECTIVE} (?:(?:{NOUNS})s|children|fishes)"
ANY = rf"(?:{ONE}|{MANY})"
CLAUSE = (
    rf"(?:{ONE} (?:sees|likes|finds|hears|has|wants)|{MANY} (?:see|like|find|hear|have|want))"
    rf" {ANY}(?: (?:near|under|behind|with) {ANY})?"
)
SENTENCE = re.compile(rf"{CLAUSE}(?: and {CLAUSE})?\.")


def test_the_pattern_bites():
    good = [
        "the dog sees a cat.",
        "two old cats have the balls near this tree and a fish likes one ball.",
    ]
    bad = [
        "the dog see a cat.",
        "a dogs sees a cat.",
        "the dog sees a cat",
        "dog sees a cat.",
        "the dog sees.",
    ]
    assert all(SENTENCE.fullmatch(s) for s in good)
    assert not any(SENTENCE.fullmatch(s) for s in bad)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    lines = train("--out", folder, "--evaluate-every", 0)
    assert losses(lines)[-1] < 2.3
    return folder


def test_it_writes_sentences_of_its_grammar(run):
    starts = ["the", "a", "two", "one", "some", "this", "these"]
    prompts = [word for i in range(42) for word in ("--prompt", starts[i % 7])]
    words = ("--model", run, "--tokens", 31, "--json", *prompts)  # and all else by default
    texts = [json.loads(x) for x in warpath(*words, command="generate").stdout.splitlines()]
    sentences = []
    for t in texts:  # the last line of a text is not whole
        sentences += (t["prompt"] + t["text"]).split("\n")[:-1]
    assert len(sentences) > 60 and len(set(sentences)) > 50
    wrong = [s for s in sentences if not SENTENCE.fullmatch(s)]
    assert len(wrong) <= 0.05 * len(sentences), wrong


def test_its_tokenizer_is_one_of_hugging_face(run):
    theirs = Tokenizer.from_file(str(next(run.glob("step-*/tokenizer.json"))))
    text = "the small dogs have a ball behind two trees.\nthis cat sees one fish.\n"
    ids = theirs.encode(text).ids
    assert (
        len(ids) == 18 and theirs.decode(ids) == text and max(ids) < theirs.get_vocab_size() == 55
    )
