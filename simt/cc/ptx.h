#pragma once

// Inline PTX: its text taken apart, and the C++ for it.

#include <set>
#include <string>
#include <vector>

namespace simt::cc {

// "constraint"(expression)
struct PtxBinding {
  std::string constraint;
  std::string expression;
};

// %0, a register of the text's own, a number, [address + offset], or {a, b, c, d}.
struct PtxOperand {
  bool is_list = false;
  bool is_address = false;
  std::string offset;              // of an address
  std::vector<std::string> parts;  // one, unless it is a list
};

struct PtxStatement {
  enum class Kind { instruction, declaration, open, close };

  Kind kind = Kind::instruction;
  std::string guard;  // the predicate's name
  bool negated = false;
  std::string opcode;  // of a declaration: the registers' type
  std::vector<PtxOperand> operands;
  std::string text;  // for messages
};

std::vector<PtxStatement> parse_ptx(const std::string& text);

// The C++ for one statement. Empty if it is not known. `registers` are those that the text has
// declared so far.
std::string emit_ptx(const PtxStatement& statement, const std::vector<PtxBinding>& bindings,
                     std::set<std::string>& registers);

}  // namespace simt::cc
