#pragma once

// thrust::cuda::par, par.on(stream), par(allocator), par_nosync. Everything is done when the call
// returns, so the stream changes nothing.

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/system/cuda/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub {

template <class Derived>
struct execute_on_stream_base : execution_policy<Derived> {
  explicit execute_on_stream_base(cudaStream_t stream = nullptr) : stream_(stream) {}
  Derived on(cudaStream_t stream) const {
    Derived result = thrust::detail::derived_cast(*this);
    static_cast<execute_on_stream_base&>(result).stream_ = stream;
    return result;
  }

 private:
  friend cudaStream_t get_stream(const execute_on_stream_base& policy) { return policy.stream_; }

  cudaStream_t stream_;
};

struct execute_on_stream : execute_on_stream_base<execute_on_stream> {
  using execute_on_stream_base<execute_on_stream>::execute_on_stream_base;
};

struct par_t : execution_policy<par_t>,
               thrust::detail::allocator_aware_execution_policy<execute_on_stream_base> {
  constexpr par_t() {}
  using stream_attachment_type = execute_on_stream;
  execute_on_stream on(cudaStream_t stream) const { return execute_on_stream(stream); }
};

struct par_nosync_t : execution_policy<par_nosync_t>,
                      thrust::detail::allocator_aware_execution_policy<execute_on_stream_base> {
  constexpr par_nosync_t() {}
  using stream_attachment_type = execute_on_stream;
  execute_on_stream on(cudaStream_t stream) const { return execute_on_stream(stream); }
};

inline constexpr par_t par;
inline constexpr par_nosync_t par_nosync;

}  // namespace cuda_cub

namespace system::cuda {
using thrust::cuda_cub::par;
using thrust::cuda_cub::par_nosync;
namespace detail {
using thrust::cuda_cub::par_nosync_t;
using thrust::cuda_cub::par_t;
}  // namespace detail
}  // namespace system::cuda

namespace cuda {
using thrust::cuda_cub::par;
using thrust::cuda_cub::par_nosync;
}  // namespace cuda
THRUST_NAMESPACE_END
