"""Every link from a page of the tree to a file of it leads somewhere.

links.py FOLDER        of the repository
"""

import re
import sys
from pathlib import Path

CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)")


def main() -> int:
    root = Path(sys.argv[1])
    folders = [f for f in root.glob("[a-z]*/") if f.is_dir() and not f.name.startswith("build")]
    pages = [*root.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    dead = [
        f"{page.relative_to(root)}: {link}"
        for page in sorted(pages)
        for link in LINK.findall(CODE.sub("", page.read_text()))
        if "://" not in link and not (page.parent / link).exists()
    ]
    print("\n".join([*dead, f"{len(pages)} pages, {len(dead)} dead links"]))
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
