#pragma once

// Prefix sums of arrays on the device, in place or not.

#include <cub/thread/thread_operators.cuh>
#include <cub/util_device.cuh>

#include <cstdint>

namespace cub {

namespace detail {

// A FutureValue stands for a value of its type.
template <class Init, class = void>
struct InitType {
  using type = Init;
};
template <class T, class Iterator>
struct InitType<FutureValue<T, Iterator>> {
  using type = T;
};
template <class Init>
using decayed_init = typename InitType<Init>::type;

struct SameRun {
  bool operator()(...) const { return true; }
};

// The scan of in[0, count) restarts where `same(keys[i - 1], keys[i])` says no.
template <bool Exclusive, class T, class Keys, class In, class Out, class Op, class Init, class N,
          class Same>
void scan(Keys keys, In in, Out out, Op& op, Init init, bool has_init, N count, Same& same) {
  if (count <= 0) return;
  value_of<Keys> key = keys[0];
  bool fresh = true;
  T running{};
  for (N i = 0; i < count; ++i) {
    const value_of<Keys> next = keys[i];
    if (i > 0 && !simt::call_op(same, key, next)) fresh = true;
    key = next;
    const value_of<In> item = in[i];
    if (fresh && has_init) running = static_cast<T>(init);
    if constexpr (Exclusive) {
      out[i] = running;
      running = static_cast<T>(simt::call_op(op, running, item));
    } else {
      running = fresh && !has_init ? static_cast<T>(item)
                                   : static_cast<T>(simt::call_op(op, running, item));
      out[i] = running;
    }
    fresh = false;
  }
}

// Keys of a scan without keys.
struct NoKeys {
  NullType operator[](std::int64_t) const { return {}; }
  NullType operator*() const { return {}; }
};

template <bool Exclusive, class Keys, class In, class Out, class Op, class Init, class N,
          class Same>
cudaError_t device_scan(const char* name, void* storage, std::size_t& bytes, Keys keys, In in,
                        Out out, Op op, Init init, bool has_init, N count, Same same,
                        cudaStream_t stream) {
  using T = result_of<Op, decayed_init<Init>, value_of<In>>;
  return device_wide(name, storage, bytes, 0, stream, [=]() mutable {
    scan<Exclusive, T>(keys, in, out, op, init, has_init, count, same);
  });
}

}  // namespace detail

struct DeviceScan {
#define SIMT_CUB_SUM(NAME, EXCLUSIVE)                                                              \
  template <class In, class Out, class N>                                                          \
  static detail::if_count<N> NAME##Sum(void* storage, std::size_t& bytes, In in, Out out, N count, \
                                       cudaStream_t stream = nullptr) {                            \
    using T = detail::value_of<In>;                                                                \
    return detail::device_scan<EXCLUSIVE>("cub::DeviceScan::" #NAME "Sum", storage, bytes,         \
                                          detail::NoKeys(), in, out, cub::Sum(), T{}, EXCLUSIVE,   \
                                          count, detail::SameRun(), stream);                       \
  }                                                                                                \
  template <class Data, class N>                                                                   \
  static detail::if_count<N> NAME##Sum(void* storage, std::size_t& bytes, Data data, N count,      \
                                       cudaStream_t stream = nullptr) {                            \
    return NAME##Sum(storage, bytes, data, data, count, stream);                                   \
  }                                                                                                \
  template <class Keys, class In, class Out, class N, class Same = Equality>                       \
  static detail::if_count<N> NAME##SumByKey(void* storage, std::size_t& bytes, Keys keys, In in,   \
                                            Out out, N count, Same same = Same(),                  \
                                            cudaStream_t stream = nullptr) {                       \
    using T = detail::value_of<In>;                                                                \
    return detail::device_scan<EXCLUSIVE>("cub::DeviceScan::" #NAME "SumByKey", storage, bytes,    \
                                          keys, in, out, cub::Sum(), T{}, EXCLUSIVE, count, same,  \
                                          stream);                                                 \
  }
  SIMT_CUB_SUM(Exclusive, true)
  SIMT_CUB_SUM(Inclusive, false)
#undef SIMT_CUB_SUM

  template <class In, class Out, class Op, class Init, class N>
  static detail::if_count<N> ExclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                           Init init, N count, cudaStream_t stream = nullptr) {
    return detail::device_scan<true>("cub::DeviceScan::ExclusiveScan", storage, bytes,
                                     detail::NoKeys(), in, out, op, init, true, count,
                                     detail::SameRun(), stream);
  }
  template <class Data, class Op, class Init, class N>
  static detail::if_count<N> ExclusiveScan(void* storage, std::size_t& bytes, Data data, Op op,
                                           Init init, N count, cudaStream_t stream = nullptr) {
    return ExclusiveScan(storage, bytes, data, data, op, init, count, stream);
  }
  template <class In, class Out, class Op, class N>
  static detail::if_count<N> InclusiveScan(void* storage, std::size_t& bytes, In in, Out out, Op op,
                                           N count, cudaStream_t stream = nullptr) {
    return detail::device_scan<false>("cub::DeviceScan::InclusiveScan", storage, bytes,
                                      detail::NoKeys(), in, out, op, detail::value_of<In>{}, false,
                                      count, detail::SameRun(), stream);
  }
  template <class Data, class Op, class N>
  static detail::if_count<N> InclusiveScan(void* storage, std::size_t& bytes, Data data, Op op,
                                           N count, cudaStream_t stream = nullptr) {
    return InclusiveScan(storage, bytes, data, data, op, count, stream);
  }
  template <class In, class Out, class Op, class Init, class N>
  static detail::if_count<N> InclusiveScanInit(void* storage, std::size_t& bytes, In in, Out out,
                                               Op op, Init init, N count,
                                               cudaStream_t stream = nullptr) {
    return detail::device_scan<false>("cub::DeviceScan::InclusiveScanInit", storage, bytes,
                                      detail::NoKeys(), in, out, op, init, true, count,
                                      detail::SameRun(), stream);
  }
  template <class Keys, class In, class Out, class Op, class Init, class N, class Same = Equality>
  static detail::if_count<N> ExclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                                Out out, Op op, Init init, N count,
                                                Same same = Same(), cudaStream_t stream = nullptr) {
    return detail::device_scan<true>("cub::DeviceScan::ExclusiveScanByKey", storage, bytes, keys,
                                     in, out, op, init, true, count, same, stream);
  }
  template <class Keys, class In, class Out, class Op, class N, class Same = Equality>
  static detail::if_count<N> InclusiveScanByKey(void* storage, std::size_t& bytes, Keys keys, In in,
                                                Out out, Op op, N count, Same same = Same(),
                                                cudaStream_t stream = nullptr) {
    return detail::device_scan<false>("cub::DeviceScan::InclusiveScanByKey", storage, bytes, keys,
                                      in, out, op, detail::value_of<In>{}, false, count, same,
                                      stream);
  }
};

}  // namespace cub
