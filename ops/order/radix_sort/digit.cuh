// What the rungs of radix_sort share: keys as unsigned integers in their order, their digits, and the passes of a sort.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/block/scan.cuh"
#include "core/host/launch.h"
#include "ops/order/radix_sort/radix_sort.h"

namespace warpath::radix_sort {

// Turns the bits of a key into an unsigned integer that sorts as the key does. Types of one width differ only in the
// masks, so kernels are compiled per width.
template <class U>
struct Order {
  U sign;        // of signed integers and floats
  U infinity;    // of floats; 0: an integer
  U descending;  // all ones, or zero

  explicit Order(const Args& args) {
    const DType d = args.keys.dtype;
    sign = is_signed(d) ? U(U(1) << (8 * sizeof(U) - 1)) : U(0);
    infinity = U(d == DType::f64    ? std::uint64_t{0x7FF0} << 48
                 : d == DType::f32  ? 0x7F800000u
                 : d == DType::bf16 ? 0x7F80u
                 : d == DType::f16  ? 0x7C00u
                                    : 0u);
    descending = args.descending ? U(~U(0)) : U(0);
  }
  __device__ __forceinline__ U of_float(U key) const {
    if (U(key & U(~sign)) > infinity) return U(~descending);  // NaN is above all
    if (key == sign) key = 0;                                 // minus zero equals zero
    return U((key & sign ? U(~key) : U(key ^ sign)) ^ descending);
  }
  __device__ __forceinline__ U of_integer(U key) const { return U(key ^ sign ^ descending); }
  // Only keys of one byte are never floats.
  __device__ __forceinline__ U operator()(U key) const {
    if constexpr (sizeof(U) == 1) return of_integer(key);
    return infinity != 0 ? of_float(key) : of_integer(key);
  }
};

// One pass: rows of keys, and values where they are not null, go from one array to another, by one digit.
template <class U>
struct Pass {
  const U* keys;
  const int* values;
  U* keys_out;
  int* values_out;
  std::int64_t cols;
  Order<U> order;
  int bit;        // the digit's lowest
  unsigned mask;  // as wide as the digit

  __device__ __forceinline__ unsigned digit(U key) const {
    return unsigned(order(key) >> bit) & mask;
  }
  __device__ __forceinline__ void move(std::int64_t from, std::int64_t to) const {
    keys_out[to] = keys[from];
    if (values) values_out[to] = values[from];
  }
};

// f(Tag of the unsigned type) for the width of the keys.
template <class F>
void dispatch_width(const Args& args, F&& f) {
  check(args, args.key_bits());
  switch (args.key_bits()) {
    case 8:
      return f(std::uint8_t{});
    case 16:
      return f(std::uint16_t{});
    case 32:
      return f(std::uint32_t{});
    default:
      return f(std::uint64_t{});
  }
}

inline int passes_of(const Args& args, int digit_bits) {
  return int(ceil_div(args.last_bit() - args.begin_bit, digit_bits));
}

// The other arrays that passes go back and forth between: keys first, values behind them.
inline std::int64_t buffer_bytes(const Args& args, int digit_bits) {
  if (passes_of(args, digit_bits) < 2) return 0;
  const std::int64_t keys = ceil_div(args.keys.bytes(), 16) * 16;
  return keys + (args.pairs() ? ceil_div(args.keys.size() * 4, 16) * 16 : 0);
}

// run(Pass, number) for every digit from the lowest to the highest. The last pass writes to the outputs.
template <class U, class F>
void for_each_pass(const Args& args, int digit_bits, void* buffer, cudaStream_t stream, F&& run) {
  const int passes = passes_of(args, digit_bits);
  const bool pairs = args.pairs();
  const std::int64_t bytes = args.keys.bytes();
  U* const spare = static_cast<U*>(buffer);
  int* const spare_values =
      reinterpret_cast<int*>(static_cast<char*>(buffer) + ceil_div(bytes, 16) * 16);
  if (passes == 0) {
    CUDA_CHECK(cudaMemcpyAsync(args.sorted.data, args.keys.data, std::size_t(bytes),
                               cudaMemcpyDeviceToDevice, stream));
    if (pairs)
      CUDA_CHECK(cudaMemcpyAsync(args.sorted_values.data, args.values.data,
                                 std::size_t(args.values.bytes()), cudaMemcpyDeviceToDevice,
                                 stream));
    return;
  }
  const U* from = args.keys.as<U>();
  const int* from_values = pairs ? args.values.as<int>() : nullptr;
  for (int p = 0; p < passes; ++p) {
    const bool to_output = (passes - 1 - p) % 2 == 0;
    U* const to = to_output ? args.sorted.as<U>() : spare;
    int* const to_values = to_output ? args.sorted_values.as<int>() : spare_values;
    const int bit = int(args.begin_bit) + p * digit_bits;
    const int width = std::min(digit_bits, args.last_bit() - bit);
    run(Pass<U>{from, from_values, to, to_values, args.keys.shape[1], Order<U>(args), bit,
                (1u << width) - 1},
        p);
    from = to;
    from_values = pairs ? to_values : nullptr;
  }
}

// For the rungs with three launches per pass: turns counts[row][digit][tile] into the places where they begin.
inline constexpr int scan_threads = 1024;
template <class Count>
__device__ __forceinline__ void scan_counts(Count* counts, std::int64_t n) {
  __shared__ Count slots[scan_threads / 32];
  Count before = 0;
  for (std::int64_t first = 0; first < n; first += scan_threads) {
    const std::int64_t j = first + threadIdx.x;
    const auto prefix =
        block_scan<scan_threads>(j < n ? counts[j] : Count(0), Count(0), Sum{}, slots);
    if (j < n) counts[j] = before + prefix.before;
    before += prefix.all;
    __syncthreads();
  }
}

inline std::string short_enough(const Args& args) {
  return args.keys.shape[1] < (std::int64_t(1) << 31) ? "" : "takes rows of fewer than 2^31 keys";
}

}  // namespace warpath::radix_sort
