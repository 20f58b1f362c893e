// One way to fail: throw, with the failing text and the place.
#pragma once
#include <stdexcept>
#include <string>

namespace warpath {

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Kept out of line: failures are rare, and inlined, the text would add code to every check.
namespace detail {
[[noreturn]] void throw_check(const std::string& message, const char* condition, const char* place);
[[noreturn]] void throw_cuda(const char* name, const char* what, const char* call,
                             const char* place);
}  // namespace detail

}  // namespace warpath

#define WARPATH_STRINGIFY_(x) #x
#define WARPATH_STRINGIFY(x) WARPATH_STRINGIFY_(x)

// WARPATH_CHECK(n > 0, "n must be positive"): a precondition that the caller broke.
#define WARPATH_CHECK(condition, message)                                       \
  do {                                                                          \
    if (!(condition))                                                           \
      ::warpath::detail::throw_check(message, #condition,                       \
                                     __FILE__ ":" WARPATH_STRINGIFY(__LINE__)); \
  } while (0)

// CUDA_CHECK(cudaMemcpyAsync(...)): any runtime call; also after a launch:
// CUDA_CHECK(cudaGetLastError()).
#define CUDA_CHECK(call)                                                          \
  do {                                                                            \
    const cudaError_t cuda_check_status = (call);                                 \
    if (cuda_check_status != cudaSuccess)                                         \
      ::warpath::detail::throw_cuda(cudaGetErrorName(cuda_check_status),          \
                                    cudaGetErrorString(cuda_check_status), #call, \
                                    __FILE__ ":" WARPATH_STRINGIFY(__LINE__));    \
  } while (0)
