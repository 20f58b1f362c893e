// The timer: CUDA events around one launch, after everything the launch will read was evicted from
// L2.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/device/parts.h"

namespace warpath::harness {

const char* const timer_method =
    "CUDA events around one launch, warmed up, each sample after a read of 3x L2 of clean memory; "
    "inputs and scratch allocated before, launch latency included (it shows below about 20 us)";

namespace {

constexpr int flush_threads = 512;

// The condition never holds for a buffer of zeros, but the compiler cannot know, so it must load.
__global__ void read_kernel(const uint4* data, std::int64_t n, unsigned* never) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  unsigned seen = 0;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < n;
       i += step) {
    const uint4 v = data[i];
    seen |= v.x | v.y | v.z | v.w;
  }
  if (seen != 0) *never = seen;
}

// Evicts by reading. A memset would evict too, but leaves L2 full of dirty lines, and their
// write-back would be charged to the kernel that is timed next.
class Flush {
 public:
  Flush() : buffer_(size()), never_(sizeof(unsigned)) {
    CUDA_CHECK(cudaMemsetAsync(buffer_.data, 0, static_cast<std::size_t>(size()), device_stream()));
  }

  void run() const {
    read_kernel<<<blocks(), flush_threads, 0, device_stream()>>>(
        static_cast<const uint4*>(buffer_.data), size() / static_cast<std::int64_t>(sizeof(uint4)),
        static_cast<unsigned*>(never_.data));
    CUDA_CHECK(cudaGetLastError());
  }

 private:
  static const cudaDeviceProp& properties() {
    static const cudaDeviceProp p = [] {
      cudaDeviceProp out;
      CUDA_CHECK(cudaGetDeviceProperties(&out, 0));
      return out;
    }();
    return p;
  }
  static std::int64_t size() {
    const std::int64_t l2 = properties().l2CacheSize;
    return std::max<std::int64_t>(3 * l2, 16 << 20) / 4096 * 4096;
  }
  static unsigned blocks() { return static_cast<unsigned>(properties().multiProcessorCount) * 4; }

  DeviceBuffer buffer_;
  DeviceBuffer never_;
};

struct EventPair {
  EventPair() {
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
  }
  ~EventPair() {
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
  }
  EventPair(const EventPair&) = delete;
  EventPair& operator=(const EventPair&) = delete;
  cudaEvent_t begin{}, end{};
};

// Queues up to `count` samples before it waits: the launches are enqueued while the GPU still runs
// the first flush, so that the host's launch time does not show between the two events.
void take_samples(int count, const Flush& flush, Work work, void* context,
                  std::vector<double>& out) {
  const std::vector<EventPair> events(static_cast<std::size_t>(count));
  for (const EventPair& e : events) {
    flush.run();
    CUDA_CHECK(cudaEventRecord(e.begin, device_stream()));
    work(context, device_stream());
    CUDA_CHECK(cudaEventRecord(e.end, device_stream()));
  }
  CUDA_CHECK(cudaStreamSynchronize(device_stream()));
  for (const EventPair& e : events) {
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, e.begin, e.end));
    out.push_back(ms * 1e3);
  }
}

}  // namespace

std::vector<double> time_work(const TimerOptions& options, Work work, void* context) {
  const Flush flush;
  const double slow_us = options.seconds * 1e6 / 4;
  double estimate_us = options.expected_us;
  std::vector<double> samples;
  // The first launch loads code and pages, and after another rung's turn it fills the instruction
  // cache and the TLBs again. That takes microseconds, which do not show in a slow launch that was
  // timed before.
  if (estimate_us <= slow_us) {
    take_samples(1, flush, work, context, samples);
    if (estimate_us == 0) {
      if (samples[0] <= slow_us) take_samples(2, flush, work, context, samples);
      estimate_us = samples.back();
    }
    samples.clear();
  }

  // The flush takes as long as a read of 3x L2: about 100 us on the GPUs this runs on.
  const double wanted = options.seconds * 1e6 / (estimate_us + 100);
  const int total = static_cast<int>(std::clamp(wanted, static_cast<double>(options.min_samples),
                                                static_cast<double>(options.max_samples)));
  constexpr int batch = 20;
  while (static_cast<int>(samples.size()) < total)
    take_samples(std::min(batch, total - static_cast<int>(samples.size())), flush, work, context,
                 samples);
  return samples;
}

}  // namespace warpath::harness
