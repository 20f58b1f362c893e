#pragma once

// A kernel as pieces, each from one barrier, or branch around barriers, to the next.

#include <cstdint>
#include <string>
#include <vector>

#include "split/variables.h"

namespace simt::cc {

inline constexpr unsigned no_piece = ~0u;

// Code of each thread, as it stands in the source.
struct Code {
  Range range;
  bool is_declaration = false;
  bool is_expression = false;  // without its ';'
  unsigned on_break = no_piece, on_continue = no_piece;
};

struct Stretch {
  std::vector<Code> code;
  std::vector<Range> actions;  // once for all threads, after the code
  // Where it goes: to `yes` if the condition holds, or if there is none.
  Range condition = {none, none};
  bool constant = false;
  bool barrier = false;                    // before `yes`
  unsigned yes = no_piece, no = no_piece;  // no_piece: the end
  std::vector<std::string> guards;         // conditions of `if constexpr` around it
};

struct Plan {
  std::vector<Stretch> pieces;
};

// Sets each variable's life. Throws NotSplit.
Plan make_plan(const Source& source, Variables& names, const std::vector<Node>& tree);

// The variables that each piece needs, by number: those it mentions, and what these are made of.
std::vector<std::vector<bool>> variables_of_pieces(const Variables& names, const Plan& plan);

}  // namespace simt::cc
