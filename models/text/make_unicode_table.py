"""Writes unicode_table.h: which code points are letters and which are numbers, by unicodedata.

python models/text/make_unicode_table.py > models/text/unicode_table.h
"""

import sys
import unicodedata

HEAD = """\
// Written by make_unicode_table.py from Unicode {version}: where letters (general category L) and numbers (N) begin and
// end. Even places begin a range, odd ones are one past its end.
#pragma once
#include <cstdint>

namespace warpath::models {{

// clang-format off
"""
TAIL = """\
// clang-format on

}  // namespace warpath::models
"""


def borders(category: str) -> list[int]:
    """The code points at which membership changes."""
    places, inside = [], False
    for code in range(sys.maxunicode + 2):
        now = code <= sys.maxunicode and unicodedata.category(chr(code))[0] == category
        if now != inside:
            places.append(code)
            inside = now
    return places


def array(name: str, numbers: list[int]) -> str:
    lines, line = [], " "
    for number in numbers:
        word = f" {number:#x},"
        if len(line) + len(word) > 100:
            lines.append(line)
            line = " "
        line += word
    return "\n".join([f"inline constexpr std::uint32_t {name}[] = {{", *lines, line, "};\n"])


if __name__ == "__main__":
    table = array("letter_borders", borders("L")) + "\n" + array("number_borders", borders("N"))
    sys.stdout.write(HEAD.format(version=unicodedata.unidata_version) + table + TAIL)
