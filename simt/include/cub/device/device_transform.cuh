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

 private:
  template <class Op, class In, class N>
  static auto element(Op& op, In& in, N i, int) -> decltype(op(in[i])) {
    return op(in[i]);
  }
  template <class Op, template <class...> class Tuple, class... In, class N>
  static auto element(Op& op, Tuple<In...>& all, N i, long) {
    return element_of(op, all, i, std::index_sequence_for<In...>{});
  }
  template <class Op, class Tuple, class N, std::size_t... I>
  static auto element_of(Op& op, Tuple& all, N i, std::index_sequence<I...>) {
    using std::get;
    return op(get<I>(all)[i]...);
  }
};

}  // namespace cub
