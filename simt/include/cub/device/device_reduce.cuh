#pragma once

// Reductions of arrays on the device.

#include <cub/iterator/arg_index_input_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>
#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#include <cstdint>
#include <limits>

namespace cub {

namespace detail {

// Hands out elements, not what stands for them.
template <class Iterator>
struct Elements {
  Iterator first;
  template <class N>
  Elements operator+(N n) const {
    return {first + n};
  }
  value_of<Iterator> operator*() const { return *first; }
};

template <class T, class Iterator, class N, class Op, class Init>
T reduce_all(Iterator input, N count, Op& op, const Init& init) {
  return count > 0 ? static_cast<T>(simt::call_op(
                         op, init, simt::tree_reduce<T>(Elements<Iterator>{input}, count, op)))
                   : static_cast<T>(init);
}

// What empty input gives: an index of 1 and the value that loses against all others.
template <bool Least, class T>
KeyValuePair<int, T> no_extremum() {
  return {1, Least ? Limits<T>::max() : Limits<T>::lowest()};
}

template <class Op, class Iterator, class N>
auto arg_extremum(Iterator input, N count) {
  using T = value_of<Iterator>;
  using Pair = KeyValuePair<int, T>;
  Op op;
  ArgIndexInputIterator<Iterator, int, T> indexed(input);
  if (count <= 0) return no_extremum<std::is_same_v<Op, ArgMin>, T>();
  return simt::tree_reduce<Pair>(indexed, static_cast<int>(count), op);
}

// Programs may keep the pair with a wider index or value than it was found with.
template <class Out, class Pair>
auto pair_for(const Pair& found) {
  using Wanted = output_value<Out, Pair>;
  if constexpr (std::is_convertible_v<Pair, Wanted>) {
    return static_cast<Wanted>(found);
  } else {
    return Wanted{static_cast<decltype(Wanted::key)>(found.key),
                  static_cast<decltype(Wanted::value)>(found.value)};
  }
}

template <class Iterator, class Function>
struct OfValue {
  Function function;
  auto operator()(const value_of<Iterator>& value) { return simt::call_op(function, value); }
};

}  // namespace detail

struct DeviceReduce {
  template <class In, class Out, class Op, class T, class N>
  static cudaError_t Reduce(void* storage, std::size_t& bytes, In in, Out out, N count, Op op,
                            T init, cudaStream_t stream = nullptr) {
    using Sum = detail::result_of<Op, T, detail::value_of<In>>;
    return detail::device_wide("cub::DeviceReduce", storage, bytes, 0, stream, [=]() mutable {
      *out = detail::reduce_all<Sum>(in, count, op, init);
    });
  }
  template <class In, class Out, class N>
  static cudaError_t Sum(void* storage, std::size_t& bytes, In in, Out out, N count,
                         cudaStream_t stream = nullptr) {
    using T = detail::output_value<Out, detail::value_of<In>>;
    return Reduce(storage, bytes, in, out, count, cub::Sum(), T{}, stream);
  }
  template <class In, class Out, class N>
  static cudaError_t Min(void* storage, std::size_t& bytes, In in, Out out, N count,
                         cudaStream_t stream = nullptr) {
    using T = detail::value_of<In>;
    return Reduce(storage, bytes, in, out, count, cub::Min(), detail::Limits<T>::max(), stream);
  }
  template <class In, class Out, class N>
  static cudaError_t Max(void* storage, std::size_t& bytes, In in, Out out, N count,
                         cudaStream_t stream = nullptr) {
    using T = detail::value_of<In>;
    return Reduce(storage, bytes, in, out, count, cub::Max(), detail::Limits<T>::lowest(), stream);
  }

#define SIMT_CUB_ARG(NAME)                                                                    \
  template <class In, class Out, class N>                                                     \
  static detail::if_count<N> NAME(void* storage, std::size_t& bytes, In in, Out out, N count, \
                                  cudaStream_t stream = nullptr) {                            \
    return detail::device_wide("cub::DeviceReduce::" #NAME, storage, bytes, 0, stream, [=] {  \
      *out = detail::pair_for<Out>(detail::arg_extremum<cub::NAME>(in, count));               \
    });                                                                                       \
  }                                                                                           \
  template <class In, class Value, class Index, class N>                                      \
  static detail::if_count<N> NAME(void* storage, std::size_t& bytes, In in, Value value,      \
                                  Index index, N count, cudaStream_t stream = nullptr) {      \
    return detail::device_wide("cub::DeviceReduce::" #NAME, storage, bytes, 0, stream, [=] {  \
      const auto found = detail::arg_extremum<cub::NAME>(in, count);                          \
      *value = found.value;                                                                   \
      *index = found.key;                                                                     \
    });                                                                                       \
  }
  SIMT_CUB_ARG(ArgMin)
  SIMT_CUB_ARG(ArgMax)
#undef SIMT_CUB_ARG

  template <class In, class Out, class Op, class Transform, class T, class N>
  static cudaError_t TransformReduce(void* storage, std::size_t& bytes, In in, Out out, N count,
                                     Op op, Transform transform, T init,
                                     cudaStream_t stream = nullptr) {
    using Value = std::decay_t<std::invoke_result_t<Transform&, const detail::value_of<In>&>>;
    const TransformInputIterator<Value, detail::OfValue<In, Transform>, In> transformed(
        in, {transform});
    return Reduce(storage, bytes, transformed, out, count, op, init, stream);
  }

  template <class KeysIn, class UniqueOut, class ValuesIn, class AggregatesOut, class NumRuns,
            class Op, class N>
  static cudaError_t ReduceByKey(void* storage, std::size_t& bytes, KeysIn keys, UniqueOut unique,
                                 ValuesIn values, AggregatesOut aggregates, NumRuns num_runs, Op op,
                                 N count, cudaStream_t stream = nullptr) {
    using T = detail::result_of<Op, detail::value_of<ValuesIn>>;
    return detail::device_wide("cub::DeviceReduce::ReduceByKey", storage, bytes, 0, stream,
                               [=]() mutable {
                                 N runs = 0;
                                 for (N i = 0; i < count; ++runs) {
                                   const detail::value_of<KeysIn> key = keys[i];
                                   T total = values[i];
                                   for (++i; i < count; ++i) {
                                     const detail::value_of<KeysIn> next = keys[i];
                                     if (!(key == next)) break;
                                     const detail::value_of<ValuesIn> value = values[i];
                                     total = simt::call_op(op, total, value);
                                   }
                                   unique[runs] = key;
                                   aggregates[runs] = total;
                                 }
                                 *num_runs = runs;
                               });
  }
};

}  // namespace cub
