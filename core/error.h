// One way to fail: throw, with the failing text and the place.
#pragma once
#include <stdexcept>
#include <string>

namespace warpath {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace warpath

#define WARPATH_STRINGIFY_(x) #x
#define WARPATH_STRINGIFY(x) WARPATH_STRINGIFY_(x)

// WARPATH_CHECK(n > 0, "n must be positive"): a broken promise of the caller.
#define WARPATH_CHECK(condition, message)                                                 \
  do {                                                                                    \
    if (!(condition))                                                                     \
      throw ::warpath::Error(std::string(message) + " [" #condition " at " __FILE__       \
                                                    ":" WARPATH_STRINGIFY(__LINE__) "]"); \
  } while (0)

// CUDA_CHECK(cudaMemcpyAsync(...)): any runtime call; also after a launch:
// CUDA_CHECK(cudaGetLastError()).
#define CUDA_CHECK(call)                                                                      \
  do {                                                                                        \
    const cudaError_t cuda_check_status = (call);                                             \
    if (cuda_check_status != cudaSuccess)                                                     \
      throw ::warpath::Error(std::string(cudaGetErrorName(cuda_check_status)) + ": " +        \
                             cudaGetErrorString(cuda_check_status) +                          \
                             " [" #call " at " __FILE__ ":" WARPATH_STRINGIFY(__LINE__) "]"); \
  } while (0)
