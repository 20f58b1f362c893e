#pragma once

// What declarations outside and inside of functions have in common: words before a name, attributes,
// parameters.

#include "spaces/model.h"
#include "spaces/own_tokens.h"

namespace simt::cc::spaces {

bool is_type_keyword(std::string_view word);
// Words that are a part of declarations without being a type.
bool is_specifier(const OwnTokens& tokens, Index i);
// Past attributes: `__attribute__((...))`, `alignas(...)`, `[[...]]`.
Index skip_attributes(const OwnTokens& tokens, Index i);
// The comma that ends what begins at `i`, or `end`.
Index list_item_end(const OwnTokens& tokens, Index i, Index end);

// The parameters between the parentheses at `open`; sets how many arguments they take.
void read_parameters(const OwnTokens& tokens, Index open, Function& function);

}  // namespace simt::cc::spaces
