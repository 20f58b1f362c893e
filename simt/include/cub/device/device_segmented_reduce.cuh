#pragma once

// A reduction of each segment [begins[s], ends[s]) of an array.

#include <cub/device/device_reduce.cuh>

namespace cub {

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begins, class Ends, class Op, class T>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out,
                            std::int64_t segments, Begins begins, Ends ends, Op op, T init,
                            cudaStream_t stream = nullptr) {
    using Sum = detail::result_of<Op, T, detail::value_of<In>>;
    return detail::device_wide(
        "cub::DeviceSegmentedReduce", storage, bytes, 0, stream, [=]() mutable {
          for (std::int64_t s = 0; s < segments; ++s) {
            const auto first = begins[s];
            out[s] = detail::reduce_all<Sum>(in + first, ends[s] - first, op, init);
          }
        });
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begins begins, Ends ends, cudaStream_t stream = nullptr) {
    using T = detail::output_value<Out, detail::value_of<In>>;
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Sum(), T{}, stream);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begins begins, Ends ends, cudaStream_t stream = nullptr) {
    using T = detail::value_of<In>;
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Min(),
                  detail::Limits<T>::max(), stream);
  }
  template <class In, class Out, class Begins, class Ends>
  static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, std::int64_t segments,
                         Begins begins, Ends ends, cudaStream_t stream = nullptr) {
    using T = detail::value_of<In>;
    return Reduce(storage, bytes, in, out, segments, begins, ends, cub::Max(),
                  detail::Limits<T>::lowest(), stream);
  }

#define SIMT_CUB_ARG(NAME)                                                             \
  template <class In, class Out, class Begins, class Ends>                             \
  static cudaError_t NAME(void* storage, std::size_t& bytes, In in, Out out,           \
                          std::int64_t segments, Begins begins, Ends ends,             \
                          cudaStream_t stream = nullptr) {                             \
    return detail::device_wide(                                                        \
        "cub::DeviceSegmentedReduce::" #NAME, storage, bytes, 0, stream, [=] {         \
          for (std::int64_t s = 0; s < segments; ++s) {                                \
            out[s] = detail::pair_for<Out>(                                            \
                detail::arg_extremum<cub::NAME>(in + begins[s], ends[s] - begins[s])); \
          }                                                                            \
        });                                                                            \
  }
  SIMT_CUB_ARG(ArgMin)
  SIMT_CUB_ARG(ArgMax)
#undef SIMT_CUB_ARG
};

}  // namespace cub
