#pragma once

#include <simt/fault.h>
#include <thrust/detail/config.h>

#include <cstdio>
#include <exception>

THRUST_NAMESPACE_BEGIN
namespace system::cuda::detail {

inline void terminate() {
  if (::simt::in_kernel()) ::simt::fault(cudaErrorLaunchFailure, "Thrust gives up");
  std::terminate();
}
inline void terminate_with_message(const char* message) {
  if (::simt::in_kernel()) ::simt::fault(cudaErrorLaunchFailure, message);
  std::fprintf(stderr, "%s\n", message);
  std::terminate();
}

}  // namespace system::cuda::detail
THRUST_NAMESPACE_END
