"""Every link from a page of the tree to a file of it leads somewhere. A lesson links each word of the glossary where it first uses it,
and its end leads to another page.

links.py FOLDER            of the repository
links.py FOLDER --write    puts the links to the glossary into the lessons
"""

import re
import sys
from itertools import zip_longest
from pathlib import Path

CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)|^\[[^\]\n]+\]: ([^\s#]+)", re.MULTILINE)


def dead_links(root: Path, page: Path) -> list[str]:
    links = ["".join(found) for found in LINK.findall(CODE.sub("", page.read_text()))]
    return [
        f"{page.relative_to(root)}: {link}"
        for link in links
        if "://" not in link and not (page.parent / link).exists()
    ]


# --- the glossary's words in the lessons ------------------------------------------------------------------------------

GLOSSARY = "../../../docs/glossary.md"  # from a lesson
DEFINITION = re.compile(rf"^\[([^\]\n]+)\]: {re.escape(GLOSSARY)}#\S+\n", re.MULTILINE)
# How a word stands in a sentence, where that is not the word itself or its plural.
SPELLINGS = {
    "asynchronous copy": r"asynchronous(?:ly)?\scop(?:y|ies)",
    "bank conflict": r"bank\sconflicts?|banks?",
    "coalescing": r"coalesc(?:ed|ing)",
    "divergence": r"diverg(?:ence|es?|ent|ing)",
    "L2": r"L[12]",
    "epilogue": r"prologues?|mainloop|epilogues?",
    "f32": r"f32|f16|bf16|tf32",
    "sector": r"sectors?|cache\slines?",
    "spill": r"spill(?:s|ed)?",
    "swizzle": r"swizzl(?:e|es|ed|ing)",
}
# No sentences: code, generated parts, headings, tables; and links, which lead to a page with an explanation of its own.
NO_PROSE = re.compile(
    r"^```.*?^```|<!-- (\w+):BEGIN.*?<!-- \1:END -->|`[^`\n]*`|^#.*?$|^\|.*?$|^ {4}.*?$|\[[^\]]*\]\([^)]*\)",
    re.MULTILINE | re.DOTALL,
)


def glossary_words(root: Path) -> dict[str, re.Pattern]:
    """Those with an anchor, which may be new to a reader of one CUDA tutorial: each with what finds it."""
    found = {}
    for anchor in re.findall(r'<a id="([^"]+)"></a>', (root / "docs/glossary.md").read_text()):
        word = anchor.replace("-", " ")
        spelling = SPELLINGS.get(word, word.replace(" ", r"\s") + "s?")
        ignored_case = 0 if any(c.isupper() for c in word) else re.IGNORECASE
        found[word] = re.compile(rf"(?<![\w/.-])(?:{spelling})(?![\w-])", ignored_case)
    return found


def without_links(text: str) -> str:
    words = "|".join(word.replace(" ", r"\s") for word in DEFINITION.findall(text))
    text = DEFINITION.sub("", text).rstrip("\n") + "\n"
    if not words:
        return text
    link = re.compile(rf"\[([^\]]+)\]\[(?:{words})\]|\[({words})\]", re.IGNORECASE)
    prose, last = "", 0
    for other in [*NO_PROSE.finditer(text), None]:
        end = other.start() if other else len(text)
        prose += link.sub(r"\1\2", text[last:end]) + (other.group() if other else "")
        last = other.end() if other else end
    return prose


def with_links(text: str, words: dict[str, re.Pattern]) -> str:
    text = without_links(text)
    taken = [span.span() for span in NO_PROSE.finditer(text)]
    links = {}
    for word, pattern in words.items():
        for match in pattern.finditer(text):
            if not any(first < match.end() and match.start() < last for first, last in taken):
                taken.append(match.span())
                links[match.span()] = word
                break
    for (first, last), word in sorted(links.items(), reverse=True):
        label = "" if " ".join(text[first:last].lower().split()) == word.lower() else f"[{word}]"
        text = f"{text[:first]}[{text[first:last]}]{label}{text[last:]}"
    targets = sorted((w, w.replace(" ", "-")) for w in links.values())
    return text + "".join(["\n"] * bool(links) + [f"[{w}]: {GLOSSARY}#{to}\n" for w, to in targets])


def unlinked_words(root: Path, lesson: Path, write: bool) -> list[str]:
    text = lesson.read_text()
    wanted = with_links(text, glossary_words(root))
    if wanted == text:
        return []
    if write:
        lesson.write_text(wanted)
        return []
    rows = zip_longest(text.split("\n"), wanted.split("\n"), fillvalue="")
    row, line = next((i, new) for i, (old, new) in enumerate(rows, 1) if old != new)
    return [f"{lesson.relative_to(root)}:{row}: links.py --write links a word's first use: {line}"]


def dead_ends(root: Path, lesson: Path) -> list[str]:
    last = lesson.read_text().rpartition("\n## ")[2]
    return [] if "Next: [" in last else [f"{lesson.relative_to(root)}: no link behind 'Next:'"]


def main() -> int:
    root, write = Path(sys.argv[1]), "--write" in sys.argv
    folders = [f for f in root.glob("[a-z]*/") if f.is_dir() and not f.name.startswith("build")]
    pages = [*root.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    lessons = sorted(root.glob("ops/*/*/README.md"))
    unlinked = [line for lesson in lessons for line in unlinked_words(root, lesson, write)]
    ends = [line for lesson in lessons for line in dead_ends(root, lesson)]
    dead = [line for page in sorted(pages) for line in dead_links(root, page)]
    print("\n".join([*dead, *unlinked, *ends, f"{len(pages)} pages, {len(dead)} dead links"]))
    return 1 if dead or unlinked or ends or not lessons else 0


if __name__ == "__main__":
    sys.exit(main())
