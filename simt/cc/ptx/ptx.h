#pragma once

// Inline PTX: parsing its text, and emitting the C++ for it.

#include <set>
#include <string>
#include <vector>

namespace simt::cc {

// "constraint"(expression)
struct PtxBinding {
  std::string constraint;
  std::string expression;
};

// %0, a register of the text's own, a number, a|b, [address + offset], [map, {x, y}], or {a, b, c,
// d}.
struct PtxOperand {
  bool is_list = false;
  bool is_address = false;
  std::string offset;                    // of an address
  std::string second;                    // of a pair of results
  std::vector<std::string> parts;        // one, unless it is a list
  std::vector<std::string> coordinates;  // in a tensor that the address describes
};

struct PtxStatement {
  enum class Kind { instruction, declaration, label, open, close };

  Kind kind = Kind::instruction;
  std::string guard;  // the predicate's name
  bool negated = false;
  std::string opcode;  // of a declaration: the registers' type; of a label: its name
  std::vector<PtxOperand> operands;
  std::string text;  // for messages
};

std::vector<PtxStatement> parse_ptx(const std::string& text);

// What is known of a text while its statements are emitted.
struct PtxScope {
  const std::vector<PtxBinding>& bindings;
  std::set<std::string> registers;  // that it has declared so far
  std::set<std::string> labels;     // all that it has
};

// The C++ for one statement. Empty if it is not known.
std::string emit_ptx(const PtxStatement& statement, PtxScope& scope);
// The C++ label of one in the text.
std::string ptx_label(const std::string& name);

}  // namespace simt::cc
