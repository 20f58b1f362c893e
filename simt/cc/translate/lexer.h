#pragma once

// Tokens of preprocessed C++. Only what the translator needs is distinguished: brackets and a few
// operators, names, literals, and lines that begin with '#'.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace simt::cc {

enum class Kind : std::uint8_t { name, number, string, character, punctuation, directive };

// Names and operators that mean something to the translator.
enum class Word : std::uint8_t {
  none,
  // names
  shared_,
  noinline_,
  global_,
  device_,
  variable_,  // __constant__ and __managed__
  host_,
  mark_,          // what spaces/ wants to know of: see simt/device.h
  cluster_dims_,  // also __launch_bounds__: attributes of a kernel with arguments
  asm_,
  printf_,
  assert_fail_,
  clock_,
  memory_,  // memcpy, memmove, memset
  template_,
  typename_,
  namespace_,
  extern_,
  static_,
  inline_,
  constexpr_,
  operator_,
  attribute_,
  alignas_,
  decltype_,
  noexcept_,
  const_,
  void_,
  struct_,  // also union, class, enum
  reinterpret_cast_,
  return_,  // also else, do, throw, co_return: a call may follow them
  requires_,
  explicit_,
  volatile_,
  friend_,
  while_,
  // operators of more than one character
  scope_,  // ::
  arrow_,  // ->
  other_,  // <= >= == != && and the like
};

struct Token {
  std::uint32_t begin;
  std::uint32_t end;
  Kind kind;
  Word word;
  char op;  // the character of a one-character operator, else 0

  bool is(char c) const { return op == c; }
  bool is(Word w) const { return word == w; }
};

std::vector<Token> tokenize(std::string_view text);

struct Position {
  std::string file;
  unsigned line;
};

// If `line` is one of the preprocessor's line markers, the position of the line after it: then
// true.
bool follow_marker(std::string_view line, Position& position);

// Where an offset of preprocessed text lies in the sources, by the line markers before it.
Position position_of(std::string_view text, std::size_t offset);

}  // namespace simt::cc
