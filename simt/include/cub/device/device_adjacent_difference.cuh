#pragma once

// op(item, the item beside it); the one at the border is copied.

#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

namespace cub {

struct DeviceAdjacentDifference {
  template <class In, class Out, class N, class Op = Difference>
  static detail::if_count<N> SubtractLeftCopy(void* storage, std::size_t& bytes, In in, Out out,
                                              N count, Op op = Op(),
                                              cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceAdjacentDifference::SubtractLeft", storage, bytes, 0,
                               stream, [=]() mutable {
                                 for (N i = count; i-- > 1;) out[i] = difference(op, in, i, i - 1);
                                 if (count > 0) out[0] = in[0];
                               });
  }
  template <class In, class Out, class N, class Op = Difference>
  static detail::if_count<N> SubtractRightCopy(void* storage, std::size_t& bytes, In in, Out out,
                                               N count, Op op = Op(),
                                               cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceAdjacentDifference::SubtractRight", storage, bytes, 0,
                               stream, [=]() mutable {
                                 for (N i = 0; i + 1 < count; ++i)
                                   out[i] = difference(op, in, i, i + 1);
                                 if (count > 0) out[count - 1] = in[count - 1];
                               });
  }
  template <class Data, class N, class Op = Difference>
  static detail::if_count<N> SubtractLeft(void* storage, std::size_t& bytes, Data data, N count,
                                          Op op = Op(), cudaStream_t stream = nullptr) {
    return SubtractLeftCopy(storage, bytes, data, data, count, op, stream);
  }
  template <class Data, class N, class Op = Difference>
  static detail::if_count<N> SubtractRight(void* storage, std::size_t& bytes, Data data, N count,
                                           Op op = Op(), cudaStream_t stream = nullptr) {
    return SubtractRightCopy(storage, bytes, data, data, count, op, stream);
  }

 private:
  template <class Op, class In, class N>
  static auto difference(Op& op, In& in, N at, N from) {
    const detail::value_of<In> item = in[at], other = in[from];
    return simt::call_op(op, item, other);
  }
};

}  // namespace cub
