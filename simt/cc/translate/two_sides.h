#pragma once

// `#ifdef __CUDA_ARCH__`, or NV_IF_TARGET, in code of the host. nvcc preprocesses a file twice, for the device and for
// the host, and each has its own functions. Here one text is compiled, that of the device, so the
// bodies that differ for the host are taken from a second preprocessing:
//   - a function of the host has the host's body;
//   - a __host__ __device__ function has both and chooses when it is called;
//   - functions that only the host's text has are added.
// What differs outside functions (types, constants) stays the device's.

#include <string>
#include <string_view>

namespace simt::cc {

// Whether a file of the program's own, among those the preprocessed text comes from, mentions
// __CUDA_ARCH__ or chooses by NV_IF_TARGET or NV_DISPATCH_TARGET.
bool mentions_arch(std::string_view preprocessed);

// The device's text with what the host needs of its own; the device's text itself if nothing differs.
std::string join_sides(std::string_view device, std::string_view host);

}  // namespace simt::cc
