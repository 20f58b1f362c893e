// Characters in UTF-8, and the classes of them that tokenizers tell apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warpath::models {

enum class CharacterClass { other, letter, number, space };  // the last three: \p{L}, \p{N}, \s

CharacterClass class_of(std::uint32_t code);

struct Character {
  std::uint32_t code;
  std::size_t bytes;
  bool valid;  // otherwise one byte that begins no character
};

// The character at a place inside of the text.
Character character_at(std::string_view text, std::size_t at);
void append_utf8(std::string& text, std::uint32_t code);

// The bytes up to which a text that still grows is whole characters: its last one may be missing bytes.
std::size_t whole_characters(std::string_view text);

}  // namespace warpath::models
