// delta = sum of do * o over a row, which every pair of the row needs: a kernel of its own.
#pragma once
#include "core/thread/vector.cuh"
#include "core/warp/reduce.cuh"
#include "ops/attention/attention/backward_problem.cuh"

namespace warpath::attention {
namespace {

constexpr int delta_threads = 128;

// One warp per row of lse; put(row, lse, delta) stores. Rows outside of all sequences get values that nobody reads.
template <class T, class Put>
__device__ __forceinline__ void delta_of_rows(const BackwardProblem<T>& problem, std::int64_t rows,
                                              Put&& put) {
  const int lane = threadIdx.x % 32;
  const std::int64_t step = std::int64_t(gridDim.x) * (delta_threads / 32);
  for (std::int64_t row = std::int64_t(blockIdx.x) * (delta_threads / 32) + threadIdx.x / 32;
       row < rows; row += step) {
    const int i = int(row % problem.sequences.queries);
    const std::int64_t head = row / problem.sequences.queries;
    const int b = int(head / problem.heads), h = int(head % problem.heads);
    const T* const d_o = problem.d_o.at(b, i, h);
    const T* const o = problem.o.at(b, i, h);
    float sum = 0;
    for (int c = lane; c < problem.value_dim; c += 32) sum += to_float(d_o[c]) * to_float(o[c]);
    sum = warp_reduce(sum, Sum{});
    if (lane == 0) put(row, problem.lse[row], sum);
  }
}

// The same by half a warp per row, 16 bytes per lane.
template <class T, class Put>
__device__ __forceinline__ void delta_of_vectors(const BackwardProblem<T>& problem,
                                                 std::int64_t rows, Put&& put) {
  const int lane = threadIdx.x % 16;
  const std::int64_t step = std::int64_t(gridDim.x) * (delta_threads / 16);
  std::int64_t first = std::int64_t(blockIdx.x) * (delta_threads / 16) + threadIdx.x / 32 * 2;
  for (; first < rows; first += step) {  // of the warp
    const std::int64_t row = first + threadIdx.x % 32 / 16;
    const bool there = row < rows;
    const std::int64_t head = row / problem.sequences.queries;
    const int i = int(row - head * problem.sequences.queries);
    const int b = int(head / problem.heads), h = int(head % problem.heads);
    float sum = 0;
    for (int c = lane * 8; there && c < problem.value_dim; c += 128) {
      const Vector<T, 8> d_o = load<8>(problem.d_o.at(b, i, h) + c);
      const Vector<T, 8> o = load<8>(problem.o.at(b, i, h) + c);
#pragma unroll
      for (int e = 0; e < 8; ++e) sum += to_float(d_o.at[e]) * to_float(o.at[e]);
    }
    sum = warp_reduce<16>(sum, Sum{});
    if (there && lane == 0) put(row, problem.lse[row], sum);
  }
}

template <class T>
__global__ void sum_delta(BackwardProblem<T> problem, std::int64_t rows, float* delta) {
  delta_of_rows(problem, rows, [&](std::int64_t row, float, float sum) { delta[row] = sum; });
}

}  // namespace
}  // namespace warpath::attention
