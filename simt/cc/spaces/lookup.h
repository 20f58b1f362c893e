#pragma once

// Finds what a name stands for, as far as the user's files say it.

#include <string_view>
#include <vector>

#include "spaces/model.h"
#include "spaces/own_tokens.h"

namespace simt::cc::spaces {

// In this scope and those it uses; of a class also in its bases. Null if there is nothing.
const Entry* find_here(const Scope* scope, std::string_view name);
// In this scope and those around it.
const Entry* find_in_scopes(const Scope* scope, std::string_view name);
// The namespace `a::b` at `i`; null if it is not the user's.
Scope* find_namespace(const OwnTokens& tokens, Index i, const Scope* scope);

// Whether the initialiser calls a function when the program starts.
bool is_computed(const OwnTokens& tokens, const Model& model, const Variable& variable);

// Whether a class that is not known may have members of any name.
bool has_unknown_base(const Class& c);

}  // namespace simt::cc::spaces
