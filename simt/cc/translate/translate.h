#pragma once

// From preprocessed CUDA C++ to C++. What is rewritten:
//   kernel<<<...>>>(...)            a call of simt::launch (simt/launch.h)
//   __shared__ declarations         references into shared memory (simt/shared.h)
//   __global__ __device__ __host__  removed; kernels are entered in simt's table (simt/kernel.h)
//   __constant__ __managed__        removed; the file's own variable becomes static
//   volatile stores and loops       in step, and letting others run (rewrite_volatile.cpp)
//   __cluster_dims__(...)           a call of simt::in_clusters_of, the kernel's first statement
//   __launch_bounds__(...)          likewise, of simt::in_launch_bounds
//   (void*)kernel                   simt::kernel_handle(kernel)
//   printf, assert, clock           simt's own, in device code
//   asm                             a call (simt/ptx.h, simt/special.h); unknown PTX is an error
//   __noinline__                    the attribute
// Everything else passes through byte for byte, and no line moves.

#include <string>
#include <string_view>
#include <vector>

#include "spaces/spaces.h"
#include "translate/source.h"

namespace simt::cc {

struct Translation {
  std::string text;
  std::vector<Piece> pieces;
  std::vector<Finding> errors;
  std::vector<Finding> warnings;
};

// With `linked`, other files may use the device variables (nvcc's -rdc=true); without, as in nvcc,
// a file keeps them to itself. `checked`: also name device variables to the checks, and let them
// see what memcpy and the like do in device code (simt/check.h). `cpp20`: the text is compiled as
// C++20 or newer. `rules`: what nvcc would refuse is an error, or a warning. `debug`: the first line of a
// kernel in which something happens is that of its first statement, where a debugger stops. `counted`: for --xray.
Translation translate(std::string_view preprocessed, bool linked = false, bool checked = false,
                      bool cpp20 = false, const spaces::Options* rules = nullptr,
                      bool debug = false, bool counted = false);

}  // namespace simt::cc
