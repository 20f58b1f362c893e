// Rows that fit into a block: all passes in shared memory, one read and one write of each key.
//
// What changed: a row of up to 4096 keys is sorted by one block in one launch. The passes are those of the rung before,
// without look-back: a tile that is the whole row has nothing before it. Keys go from registers to shared memory at
// their new place and back, once per digit.
// Limit: the ballots, and four barriers per pass.
#include "core/host/device.cuh"
#include "ops/order/radix_sort/rank.cuh"

namespace warpath::radix_sort {
namespace {

constexpr int threads = 512, warps = threads / 32, items = 8, most = threads * items;

template <class U, bool Pairs>
__global__ void __launch_bounds__(threads, 2) sort_rows(Pass<U> pass, int last_bit) {
  extern __shared__ uint4 dynamic[];
  U* const keys = reinterpret_cast<U*>(dynamic);            // [most]
  int* const values = reinterpret_cast<int*>(keys + most);  // [most], with Pairs
  __shared__ unsigned counts[warps][digits], slots[warps];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, n = int(pass.cols);
  const std::int64_t row = std::int64_t(blockIdx.x) * pass.cols;
  const int at = warp * 32 * items + lane;  // of the thread's first item; the others are 32 apart

  U key[items];
  int value[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const bool exists = at + k * 32 < n;
    key[k] = exists ? pass.keys[row + at + k * 32] : U(0);
    if constexpr (Pairs) value[k] = exists ? pass.values[row + at + k * 32] : 0;
  }
  for (; pass.bit < last_bit; pass.bit += digit_bits) {
    pass.mask = (1u << min(digit_bits, last_bit - pass.bit)) - 1;
    for (int i = t; i < warps * digits; i += threads) counts[i / digits][i % digits] = 0;
    __syncthreads();
    unsigned short rank[items];
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (at - lane + k * 32 >= n) continue;
      const unsigned digit = at + k * 32 < n ? pass.digit(key[k]) : digits - 1;
      rank[k] = static_cast<unsigned short>(rank_in_warp(digit, same_digit(digit), counts[warp]));
    }
    __syncthreads();
    unsigned count = 0;
    if (t < digits)
      for (int w = 0; w < warps; ++w) {
        const unsigned c = counts[w][t];
        counts[w][t] = count;
        count += c;
      }
    const unsigned begin = block_scan<threads>(count, 0u, Sum{}, slots).before;
    if (t < digits)
      for (int w = 0; w < warps; ++w) counts[w][t] += begin;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (at + k * 32 >= n) continue;
      const unsigned to = counts[warp][pass.digit(key[k])] + rank[k];
      keys[to] = key[k];
      if constexpr (Pairs) values[to] = value[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (at + k * 32 >= n) continue;
      key[k] = keys[at + k * 32];
      if constexpr (Pairs) value[k] = values[at + k * 32];
    }
  }
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (at + k * 32 >= n) continue;
    pass.keys_out[row + at + k * 32] = key[k];
    if constexpr (Pairs) pass.values_out[row + at + k * 32] = value[k];
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto tag) {
    using U = decltype(tag);
    const Pass<U> pass{args.keys.as<U>(),   args.pairs() ? args.values.as<int>() : nullptr,
                       args.sorted.as<U>(), args.sorted_values.as<int>(),
                       args.keys.shape[1],  Order<U>(args),
                       int(args.begin_bit), 0};
    const auto run = [&](auto kernel, std::size_t bytes) {
      kernel<<<grid_x(args.keys.shape[0], 1), threads, allow_shared(kernel, most * bytes),
               stream>>>(pass, args.last_bit());
    };
    if (args.pairs())
      run(sort_rows<U, true>, sizeof(U) + 4);
    else
      run(sort_rows<U, false>, sizeof(U));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return args.keys.shape[1] <= most ? "" : "takes rows of at most 4096 keys";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::radix_sort
