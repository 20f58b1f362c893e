// What the files of the device library share.
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "core/host/error.h"
#include "harness/device/device.h"
#include "harness/timing.h"

namespace warpath::harness {

// The error text that a failing function of the table returns.
std::string& failure_text();

// Runs f; a thrown error becomes the text the table promises.
template <class F>
const char* guarded(F&& f) {
  try {
    f();
    return nullptr;
  } catch (const std::exception& e) {
    failure_text() = e.what();
    return failure_text().c_str();
  }
}

cudaStream_t device_stream();

// An allocation of the device library itself, freed at the end of a scope.
struct DeviceBuffer {
  explicit DeviceBuffer(std::int64_t bytes) {
    CUDA_CHECK(cudaMalloc(&data, static_cast<std::size_t>(bytes)));
  }
  ~DeviceBuffer() { cudaFree(data); }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  void* data = nullptr;
};

// Samples in microseconds, in the order they were taken.
std::vector<double> time_work(const TimerOptions&, Work, void* context);
void measure_copy_rate(Rate*);

// Set by matmul_cublas.cu when it is part of the build.
using MatmulRate = void (*)(Rate*);
MatmulRate& matmul_rate_hook();

extern const char* const timer_method;

}  // namespace warpath::harness
