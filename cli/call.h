// A call of an op as a person types it: "512x4096x4096", "rows=8,cols=1000,kind=max,without=bias",
// "tensors=768+2304" for a list of two tensors.
#pragma once
#include <optional>
#include <string>

#include "harness/plan.h"

namespace warpath::cli {

inline constexpr int simt_arch = 90;  // of the device that simt emulates

// A case with those sizes. Plain sizes are in the order in which the arguments name dimensions; a
// leading axis that is not given is 1. Refuses what does not fit the contract, and lists the names
// to use.
Case parse_call(const Op& op, const std::string& text);

// A timed case with its largest sizes halved until a CPU runs it quickly: the shape that models have, small. Empty where
// that cannot be done.
std::optional<Case> smaller(const Op& op, const Case& timed, DType dtype);

// The same for a case that somebody asks for by name. Where odd sizes are in the way they are kept, and fewer images or channels
// taken; where that is not enough they are halved too, and stay odd.
std::optional<Case> smaller_if_asked(const Op& op, const Case& timed, DType dtype);

// The args of a call. The tensors have aligned addresses that must not be dereferenced.
harness::ArgsBlob args_without_data(const harness::Plan& plan);

}  // namespace warpath::cli
