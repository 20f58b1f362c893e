// The parts of the host side that have files of their own.
#pragma once
#include "core/host/registry.h"
#include "ops/matmul/matmul/matmul.h"

namespace warpath::matmul {

std::vector<Case> cases();

}  // namespace warpath::matmul
