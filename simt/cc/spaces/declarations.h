#pragma once

// Reads the declarations of the user's files into the model, and judges the qualifiers on them.

#include "spaces/model.h"
#include "spaces/own_tokens.h"
#include "spaces/report.h"

namespace simt::cc {

void read_declarations(const OwnTokens& tokens, Model& model, Report& report);

// The parameters between the parentheses at `open`; sets how many arguments they take.
void read_parameters(const OwnTokens& tokens, Index open, Function& function);

bool is_type_keyword(std::string_view word);
// Words that begin or are a part of declarations without being a type.
bool is_specifier(const OwnTokens& tokens, Index i);
// Past attributes: `__attribute__((...))`, `alignas(...)`, `[[...]]`.
Index skip_attributes(const OwnTokens& tokens, Index i);

}  // namespace simt::cc
