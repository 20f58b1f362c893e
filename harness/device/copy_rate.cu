// The fastest copy this device can do. "of the copy rate" is relative to it.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "harness/device/parts.h"

namespace warpath::harness {
namespace {

constexpr int copy_threads = 256;

// Each thread moves `Each` pieces of 16 bytes. All loads come first, so that many are in flight at
// once.
template <int Each>
__global__ void copy_kernel(uint4* to, const uint4* from, std::int64_t n) {
  const std::int64_t base =
      blockIdx.x * static_cast<std::int64_t>(copy_threads * Each) + threadIdx.x;
  uint4 held[Each];
#pragma unroll
  for (int k = 0; k < Each; ++k)
    if (base + k * copy_threads < n) held[k] = from[base + k * copy_threads];
#pragma unroll
  for (int k = 0; k < Each; ++k)
    if (base + k * copy_threads < n) to[base + k * copy_threads] = held[k];
}

struct Buffers {
  void* to;
  const void* from;
  std::int64_t bytes;
};

void vendor_copy(void* context, void* stream) {
  const auto& b = *static_cast<const Buffers*>(context);
  CUDA_CHECK(cudaMemcpyAsync(b.to, b.from, static_cast<std::size_t>(b.bytes),
                             cudaMemcpyDeviceToDevice, static_cast<cudaStream_t>(stream)));
}

template <int Each>
void own_copy(void* context, void* stream) {
  const auto& b = *static_cast<const Buffers*>(context);
  const std::int64_t n = b.bytes / static_cast<std::int64_t>(sizeof(uint4));
  const std::int64_t blocks = (n + copy_threads * Each - 1) / (copy_threads * Each);
  copy_kernel<Each>
      <<<static_cast<unsigned>(blocks), copy_threads, 0, static_cast<cudaStream_t>(stream)>>>(
          static_cast<uint4*>(b.to), static_cast<const uint4*>(b.from), n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace

void measure_copy_rate(Rate* out) {
  std::size_t free_bytes = 0, total_bytes = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
  const std::int64_t wanted = std::int64_t{1} << 30;
  const std::int64_t bytes =
      std::min<std::int64_t>(wanted, static_cast<std::int64_t>(free_bytes / 4)) / 4096 * 4096;
  const DeviceBuffer to(bytes), from(bytes);
  CUDA_CHECK(cudaMemsetAsync(from.data, 0x5A, static_cast<std::size_t>(bytes), device_stream()));
  Buffers buffers{to.data, from.data, bytes};

  struct Way {
    const char* how;
    Work work;
  };
  const Way ways[] = {{"cudaMemcpyAsync", vendor_copy},
                      {"copy kernel, 16 bytes a thread", own_copy<1>},
                      {"copy kernel, 4x16 bytes a thread", own_copy<4>}};
  *out = {0, ""};
  for (const Way& way : ways) {
    const Timing t = summarise_samples(time_work(TimerOptions{}, way.work, &buffers));
    const double rate = 2.0 * static_cast<double>(bytes) / (t.median_us * 1e-6);
    if (rate > out->per_second) *out = {rate, way.how};
  }
}

}  // namespace warpath::harness
