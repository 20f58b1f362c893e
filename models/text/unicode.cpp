#include "models/text/unicode.h"

#include <algorithm>
#include <iterator>

#include "models/text/unicode_table.h"

namespace warpath::models {
namespace {

template <std::size_t N>
bool inside(const std::uint32_t (&borders)[N], std::uint32_t code) {
  return (std::upper_bound(std::begin(borders), std::end(borders), code) - std::begin(borders)) % 2;
}

// Unicode's White_Space.
bool is_space(std::uint32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// How many bytes a character has by its first one; 0: none begins so.
std::size_t length_by(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

}  // namespace

CharacterClass class_of(std::uint32_t code) {
  if (is_space(code)) return CharacterClass::space;
  if (code < 0x80) {
    const std::uint32_t lower = code | 0x20;
    if (lower >= 'a' && lower <= 'z') return CharacterClass::letter;
    return code >= '0' && code <= '9' ? CharacterClass::number : CharacterClass::other;
  }
  if (inside(letter_borders, code)) return CharacterClass::letter;
  return inside(number_borders, code) ? CharacterClass::number : CharacterClass::other;
}

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(text[at + i]);
  };
  const std::size_t bytes = length_by(static_cast<unsigned char>(text[at]));
  const Character broken{0xFFFD, 1, false};
  if (bytes == 1) return {byte(0), 1, true};
  if (bytes == 0 || at + bytes > text.size()) return broken;
  std::uint32_t code = byte(0) & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return broken;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return broken;
  return {code, bytes, true};
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xE0 | code >> 12);
    } else {
      put(0xF0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3F));
    }
    put(0x80 | (code >> 6 & 0x3F));
  }
  put(0x80 | (code & 0x3F));
}

std::size_t whole_characters(std::string_view text) {
  for (std::size_t back = 1; back <= std::min<std::size_t>(3, text.size()); ++back) {
    const auto c = static_cast<unsigned char>(text[text.size() - back]);
    if ((c & 0xC0) == 0x80) continue;
    return length_by(c) > back ? text.size() - back : text.size();
  }
  return text.size();
}

}  // namespace warpath::models
