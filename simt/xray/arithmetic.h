#pragma once

// How many instructions the arithmetic of a basic block takes, estimated from this machine's code for it.

#include <map>
#include <vector>

namespace simt::xray {

// For each address at which a basic block begins: instructions of a warp that a GPU needs for the arithmetic in it, about.
// Moves, accesses and jumps are left out. Empty where objdump is not installed.
std::map<const void*, double> count_arithmetic(const std::vector<const void*>& blocks);

}  // namespace simt::xray
