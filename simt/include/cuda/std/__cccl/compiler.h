#pragma once

// CCCL decides here which compiler it has. For simt it is plain C++: CCCL's own fallbacks, without
// PTX and without nvcc's rules.

// The order matters.
// clang-format off
#include <simt/hide_nvcc.inc>
#include_next <cuda/std/__cccl/compiler.h>
#include <simt/show_nvcc.inc>
// clang-format on
