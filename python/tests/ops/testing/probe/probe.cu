// The rungs, one for each op.
#include "python/tests/ops/testing/probe/probe.h"

#include "core/host/error.h"
#include "core/host/launch.h"
#include "core/host/registry.h"

namespace warpath::probe {

__global__ void segments(Segments a) {
  const int b = threadIdx.x / 2, half = threadIdx.x % 2;
  const float sign = a.negate ? -1.0f : 1.0f;
  const std::int64_t* offsets = a.offsets.as<std::int64_t>();
  float sum = a.bias.data ? a.bias.as<float>()[b] : 0.0f;
  for (std::int64_t i = offsets[b]; i < offsets[b + 1]; ++i)
    sum += sign * static_cast<float>(a.scale) * a.x.as<float>()[2 * i + half];
  a.sums.as<float>()[threadIdx.x] = sum;
  if (threadIdx.x > 0) return;
  a.given.as<std::int64_t>()[0] = a.seed;
  a.given.as<std::int64_t>()[1] = a.bias.data != nullptr;
  a.given.as<std::int64_t>()[2] = a.negate;
}

void launch_segments(const Segments& a, cudaStream_t stream) {
  segments<<<1, 2 * a.sums.shape[0], 0, stream>>>(a);
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Segments, launch_segments);

__global__ void accumulate(Accumulate a) {
  const std::int64_t row = blockIdx.x, col = threadIdx.x;
  float* seen = static_cast<float*>(a.scratch.data) + row * blockDim.x + col;
  const float x = a.x.as<float>()[row * a.x.stride[0] + col * a.x.stride[1]];
  a.total.as<float>()[row * blockDim.x + col] += x + (*seen == 0.0f ? 0.0f : 1000.0f);
  *seen = 1.0f;
}

std::int64_t accumulate_scratch(const Accumulate& a) {
  return a.x.size() * 4;
}

void launch_accumulate(const Accumulate& a, cudaStream_t stream) {
  accumulate<<<a.x.shape[0], a.x.shape[1], 0, stream>>>(a);
  CUDA_CHECK(cudaGetLastError());
}

std::string refuses_long_rows(const Accumulate& a) {
  return a.x.shape[1] <= 8 ? "" : "rows of more than 8";
}

WARPATH_RUNG(Accumulate, launch_accumulate, .supports = refuses_long_rows,
             .scratch = accumulate_scratch, .zeroed = accumulate_scratch);

__global__ void touch(float* y) {
  y[0] = 1;
}

void launch_failing(const Failing& a, cudaStream_t stream) {
  touch<<<1, 2000, 0, stream>>>(a.y.as<float>());
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Failing, launch_failing);

__global__ void wait_for_sign(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = threadIdx.x;
  if (i >= n) return;
  const volatile float* given = x + i;
  while (*given < 0) {
  }
  y[i] = x[i];
}

void launch_waiting(const Waiting& a, cudaStream_t stream) {
  wait_for_sign<<<1, 32, 0, stream>>>(a.x.as<float>(), a.y.as<float>(), a.x.size());
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Waiting, launch_waiting);

__global__ void cube(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = x[i] * x[i] * x[i];
}

void launch_cube(const Cube& a, cudaStream_t stream) {
  cube<<<grid_x(a.x.size(), 128), 128, 0, stream>>>(a.x.as<float>(), a.y.as<float>(), a.x.size());
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Cube, launch_cube);

__global__ void copy(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = x[i];
}

void launch_unordered(const Unordered& a, cudaStream_t stream) {
  copy<<<grid_x(a.x.size(), 128), 128, 0, stream>>>(a.x.as<float>(), a.y.as<float>(), a.x.size());
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Unordered, launch_unordered, .deterministic = false);

}  // namespace warpath::probe
