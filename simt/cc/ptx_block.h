#pragma once

// Inline PTX of more than one instruction, and arithmetic, loads and stores: each instruction becomes
// a C++ statement, registers become variables. Branches and calls are not among it.

#include <string>
#include <vector>

namespace simt::cc {

// "constraint"(expression) of an asm statement
struct Binding {
  std::string constraint;
  std::string expression;
};

// The function of simt for an instruction of the table in rewrite_asm.cpp; null if there is none.
const char* table_function(const std::string& opcode, bool& has_result);
bool is_special_register(const std::string& name);

// The C++ for the text of an asm statement; empty if some of it is not known, which `unknown` names.
std::string translate_ptx(const std::string& text, const std::vector<Binding>& bindings,
                          std::string& unknown);

}  // namespace simt::cc
