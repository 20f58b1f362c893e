"""What the bare commands do: `./warpath generate` trains the toy once, and its sentences are those of the grammar."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess

import pytest
from conftest import PROGRAM, warpath
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


def bare(command: str, folder: pathlib.Path) -> str:
    """What `./warpath COMMAND` prints, with no other word, of a build in that folder that has made nothing yet."""
    lib = folder / "lib"
    if not lib.exists():
        lib.symlink_to(os.environ.get("WARPATH_LIB") or pathlib.Path(PROGRAM).parents[1] / "lib")
    done = subprocess.run(
        [PROGRAM, command],
        capture_output=True,
        text=True,
        timeout=550,
        check=False,
        env=os.environ | {"WARPATH_LIB": str(lib)},
        cwd=folder,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """What the very first `./warpath generate` prints, and the folder that it leaves."""
    folder = tmp_path_factory.mktemp("build")
    begin = seconds_of_children()
    text = bare("generate", folder)
    # Three minutes, on a CPU too: of all its cores, since other tests may have some of them.
    assert seconds_of_children() - begin < 180 * os.cpu_count()
    return text, folder


@pytest.fixture(scope="module")
def run(first):
    return first[1] / "toy-model"


def test_generate_alone_trains_the_toy_and_writes(first):
    text, folder = first
    assert text.startswith("no --model: trains the toy model first, once\n")
    trained = [float(x) for x in re.findall(r"^step .* loss (\d\.\d+) ", text, re.MULTILINE)]
    assert len(trained) > 15 and trained[0] > 3.8 and trained[-1] < 2.3
    assert f"next: ./warpath generate --model {folder}/toy-model writes text with it\n" in text
    written = text.split("writes text with it\n")[1].lstrip("\n")
    assert written.startswith("the ")
    assert written.splitlines()[-1].startswith("next: ./warpath train --data text.txt --out run")
    # The second time there is nothing to train, and the text is the same.
    lines, again = written.splitlines(), bare("generate", folder).splitlines()
    assert [x for x in again if "tokens/s" not in x] == [x for x in lines if "tokens/s" not in x]
    assert sorted(x.name for x in folder.iterdir()) == ["lib", "toy-model"]


def test_train_alone_is_that_training(run, tmp_path):
    """Its model, data and schedule, of which Ctrl-C shows the beginning."""
    child = subprocess.Popen([PROGRAM, "train"], stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    head, line = child.stdout.readline(), child.stdout.readline()
    child.send_signal(signal.SIGINT)
    rest, _ = child.communicate(timeout=60)
    assert child.returncode == 0 and not any(tmp_path.iterdir())
    assert head.startswith("toy: ") and line.startswith("step     1/600  loss ")
    assert "next: --out run keeps the model; --data text.txt trains on a text of yours" in rest
    state = json.loads(next(run.glob("step-000600/state.json")).read_text())
    assert state["settings"]["steps"] == 600
    assert f"rate {state['settings']['rate'] / state['settings']['warmup']:.2e}" in line


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
