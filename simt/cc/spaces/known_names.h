#pragma once

// What the names of the C library, of std and of CUDA may be used for. Only names that nvcc 13 was
// asked about are here; about others nothing is said.

#include <string_view>

namespace simt::cc::spaces {

// Functions of the C library that a GPU has not.
bool is_host_c_function(std::string_view name);
// Functions of CUDA's runtime that only the host may call. Those that older CUDA let kernels call
// (cudaDeviceSynchronize) are not among them.
bool is_host_cuda_function(std::string_view name);
// Which argument of this function of the runtime is a device variable; ~0u if it has none.
unsigned symbol_argument(std::string_view name);
// Functions of CUDA that only device code may call.
bool is_device_function(std::string_view name);
// Those from before Volta, which name no lanes.
bool is_maskless_function(std::string_view name);

enum class StdKind {
  unknown,               // or allowed everywhere
  type,                  // a class of the host: no objects of it in device code
  constexpr_type,        // a class whose members device code may call with --expt-relaxed-constexpr
  array,                 // the same, but an object of it needs no constructor
  object,                // std::cout and the like
  function,              // a function of the host
  constexpr_function,    // one that device code may call with --expt-relaxed-constexpr
  constexpr_function_20  // the same, from C++20 on
};
StdKind std_kind(std::string_view name);

}  // namespace simt::cc::spaces
