#pragma once

// The local variables of a function while its body is read.

#include <string_view>
#include <vector>

#include "spaces/model.h"
#include "spaces/own_tokens.h"

namespace simt::cc::spaces {

struct Local {
  std::string_view name;
  std::string_view type_name;  // the last name of its type: `float4` of `const float4*`
  const Class* type = nullptr;
  std::string_view std_type;  // the name of a class of std
  bool is_pointer = false;    // or an array
  bool is_reference = false;
  bool is_basic = false;         // of a type that is a keyword
  bool varies = false;           // neither const nor constexpr
  bool is_static = false;        // of the host
  bool is_plain_lambda = false;  // without __device__
  int depth = 0;
};

// A declaration in a function's body.
struct LocalDeclaration {
  Index type_begin = none, type_end = none;
  std::vector<Index> names;  // of its variables
  bool is_shared = false, is_static = false, is_constexpr = false, is_const = false;
  bool is_extern = false, is_auto = false;
  Index qualifier = none;  // __device__, __constant__ or __managed__
  Index thread_local_ = none;
  bool is_pointer = false, is_reference = false;  // the first of its variables
};

// If a declaration of variables begins at `i`: then true.
bool read_local_declaration(const OwnTokens& tokens, Index i, Index end, LocalDeclaration& found);

// Words that begin a statement which declares nothing, or stand in expressions.
bool is_statement_word(std::string_view word);

}  // namespace simt::cc::spaces
