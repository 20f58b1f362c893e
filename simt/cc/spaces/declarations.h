#pragma once

// Reads the declarations of the user's files into the model, and judges the qualifiers on them.

#include "spaces/model.h"
#include "spaces/own_tokens.h"
#include "spaces/report.h"

namespace simt::cc::spaces {

void read_declarations(const OwnTokens& tokens, Model& model, Report& report);

}  // namespace simt::cc::spaces
