#pragma once

#include "spaces/model.h"
#include "spaces/own_tokens.h"
#include "spaces/report.h"

namespace simt::cc::spaces {

// Lambdas marked __device__ or __host__, wherever they stand: they need --extended-lambda, and the
// marks before the parameters.
void judge_marked_lambdas(const OwnTokens& tokens, bool extended_lambda, Report& report);

// Device variables of another file: they need -rdc=true.
void find_extern_variables(const Model& model, Report& report);

}  // namespace simt::cc::spaces
