#pragma once

// out[i] = op(in[i]), of one input or a tuple of them.

#include <cub/util_device.cuh>

namespace cub {

struct DeviceTransform {
  template <class In, class Out, class N, class Op>
  static detail::if_count<N> Transform(In in, Out out, N count, Op op,
                                       cudaStream_t stream = nullptr) {
    return simt::run_on_device("cub::DeviceTransform", stream, [=]() mutable {
      for (N i = 0; i < count; ++i) out[i] = element(op, in, i, 0);
    });
  }
  // As Transform, for functions that take the addresses of their arguments.
  template <class In, class Out, class N, class Op>
  static detail::if_count<N> TransformStableArgumentAddresses(In in, Out out, N count, Op op,
                                                              cudaStream_t stream = nullptr) {
    return Transform(in, out, count, op, stream);
  }

// The same with temporary storage, of which none is needed.
#define SIMT_CUB_STORAGE(NAME)                                                                \
  template <class In, class Out, class N, class Op>                                           \
  static detail::if_count<N> NAME(void* storage, std::size_t& bytes, In in, Out out, N count, \
                                  Op op, cudaStream_t stream = nullptr) {                     \
    if (storage != nullptr) return NAME(in, out, count, op, stream);                          \
    bytes = 1;                                                                                \
    return cudaSuccess;                                                                       \
  }
  SIMT_CUB_STORAGE(Transform)
  SIMT_CUB_STORAGE(TransformStableArgumentAddresses)
#undef SIMT_CUB_STORAGE

 private:
  template <class Op, class In, class N>
  static auto element(Op& op, In& in, N i, int) -> decltype(op(detail::element_at(in, i))) {
    return op(detail::element_at(in, i));
  }
  template <class Op, template <class...> class Tuple, class... In, class N>
  static auto element(Op& op, Tuple<In...>& all, N i, long) {
    return element_of(op, all, i, std::index_sequence_for<In...>{});
  }
  template <class Op, class Tuple, class N, std::size_t... I>
  static auto element_of(Op& op, Tuple& all, N i, std::index_sequence<I...>) {
    using std::get;
    return op(detail::element_at(get<I>(all), i)...);
  }
};

}  // namespace cub
