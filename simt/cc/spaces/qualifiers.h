#pragma once

// What may stand on which declaration, as nvcc has it.

#include "spaces/model.h"
#include "spaces/own_tokens.h"
#include "spaces/report.h"

namespace simt::cc::spaces {

// What the words before a declared name say.
struct Declared {
  Index first = none;  // the declaration's first token
  Index on_kernel = none, on_device = none, on_host = none, launch_bounds = none, is_inline = none;
  Index operator_at = none, after_name = none;
  Index type_begin = none, type_end = none;
  Scope* scope = nullptr;
  bool is_constant = false, is_managed = false, is_shared = false;
  bool is_const = false, is_const_pointer = false, is_constexpr = false, is_volatile = false;
  bool is_static = false, is_extern = false, is_friend = false;
  bool is_pointer = false, is_reference = false, is_destructor = false, is_template = false;
};

void judge_function(const OwnTokens& tokens, const Function& function, const Declared& declared,
                    Report& report);
void judge_variable(const Variable& variable, const Declared& declared, Report& report);

}  // namespace simt::cc::spaces
