// Device memory and device properties, and the table itself.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "harness/device/parts.h"

namespace warpath::harness {

std::string& failure_text() {
  static std::string text;
  return text;
}

MatmulRate& matmul_rate_hook() {
  static MatmulRate hook = nullptr;
  return hook;
}

// One stream for all the work of a process. It is never the default stream, so a launcher that
// forgets its stream argument is out of order with the checks around it.
cudaStream_t device_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t s = nullptr;
    CUDA_CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return s;
  }();
  return stream;
}

namespace {

constexpr int threads = 256;
constexpr int piece = 16;  // bytes that a thread compares at a time

__global__ void difference_kernel(const unsigned char* a, const unsigned char* b,
                                  std::int64_t bytes, bool aligned, unsigned long long* first) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  const std::int64_t pieces = (bytes + piece - 1) / piece;
  for (std::int64_t p = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
       p < pieces; p += step) {
    const std::int64_t begin = p * piece;
    const std::int64_t end = begin + piece < bytes ? begin + piece : bytes;
    if (aligned && end - begin == piece) {
      const uint4 x = *reinterpret_cast<const uint4*>(a + begin);
      const uint4 y = *reinterpret_cast<const uint4*>(b + begin);
      if (x.x == y.x && x.y == y.y && x.z == y.z && x.w == y.w) continue;
    }
    for (std::int64_t i = begin; i < end; ++i)
      if (a[i] != b[i]) {
        atomicMin(first, static_cast<unsigned long long>(i));
        break;
      }
  }
}

const char* describe(DeviceInfo* out) {
  return guarded([&] {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    WARPATH_CHECK(count > 0, "no device");
    cudaDeviceProp p;
    CUDA_CHECK(cudaGetDeviceProperties(&p, 0));
    std::snprintf(out->name, sizeof out->name, "%s", p.name);
    out->arch = p.major * 10 + p.minor;
    out->sms = p.multiProcessorCount;
    out->l2_bytes = p.l2CacheSize;
    out->memory_bytes = static_cast<std::int64_t>(p.totalGlobalMem);
    CUDA_CHECK(cudaDriverGetVersion(&out->driver));
    CUDA_CHECK(cudaRuntimeGetVersion(&out->runtime));
  });
}

const char* alloc(void** memory, std::int64_t bytes) {
  return guarded([&] { CUDA_CHECK(cudaMalloc(memory, static_cast<std::size_t>(bytes))); });
}

const char* release(void* memory) {
  return guarded([&] { CUDA_CHECK(cudaFree(memory)); });
}

void move(void* to, const void* from, std::int64_t bytes, cudaMemcpyKind kind) {
  CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), kind, device_stream()));
  CUDA_CHECK(cudaStreamSynchronize(device_stream()));
}

const char* upload(void* to, const void* from_host, std::int64_t bytes) {
  return guarded([&] { move(to, from_host, bytes, cudaMemcpyHostToDevice); });
}

const char* download(void* to_host, const void* from, std::int64_t bytes) {
  return guarded([&] { move(to_host, from, bytes, cudaMemcpyDeviceToHost); });
}

const char* copy(void* to, const void* from, std::int64_t bytes) {
  return guarded([&] { move(to, from, bytes, cudaMemcpyDeviceToDevice); });
}

const char* fill(void* to, int byte, std::int64_t bytes) {
  return guarded([&] {
    CUDA_CHECK(cudaMemsetAsync(to, byte, static_cast<std::size_t>(bytes), device_stream()));
    CUDA_CHECK(cudaStreamSynchronize(device_stream()));
  });
}

const char* first_difference(const void* a, const void* b, std::int64_t bytes,
                             std::int64_t* index) {
  return guarded([&] {
    *index = -1;
    if (bytes <= 0) return;
    const DeviceBuffer first(sizeof(unsigned long long));
    CUDA_CHECK(cudaMemsetAsync(first.data, 0xFF, sizeof(unsigned long long), device_stream()));
    const bool aligned =
        (reinterpret_cast<std::uintptr_t>(a) | reinterpret_cast<std::uintptr_t>(b)) % piece == 0;
    const std::int64_t pieces = (bytes + piece - 1) / piece;
    const auto blocks =
        static_cast<unsigned>(std::min<std::int64_t>((pieces + threads - 1) / threads, 4096));
    difference_kernel<<<blocks, threads, 0, device_stream()>>>(
        static_cast<const unsigned char*>(a), static_cast<const unsigned char*>(b), bytes, aligned,
        static_cast<unsigned long long*>(first.data));
    CUDA_CHECK(cudaGetLastError());
    unsigned long long found = 0;
    move(&found, first.data, sizeof found, cudaMemcpyDeviceToHost);
    if (found != ~0ull) *index = static_cast<std::int64_t>(found);
  });
}

const char* free_memory(std::int64_t* bytes) {
  return guarded([&] {
    std::size_t free_bytes = 0, total_bytes = 0;
    CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    *bytes = static_cast<std::int64_t>(free_bytes);
  });
}

const char* synchronise() {
  return guarded([] {
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
  });
}

void* stream() {
  return device_stream();
}

const char* time(const TimerOptions* options, Work work, void* context, double* samples,
                 int* count) {
  return guarded([&] {
    const std::vector<double> taken = time_work(*options, work, context);
    std::copy(taken.begin(), taken.end(), samples);
    *count = static_cast<int>(taken.size());
  });
}

const char* copy_rate(Rate* out) {
  return guarded([&] { measure_copy_rate(out); });
}

const char* matmul_rate(Rate* out) {
  return guarded([&] { matmul_rate_hook()(out); });
}

const char* mark(void** made) {
  return guarded([&] {
    cudaEvent_t event = nullptr;
    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaEventRecord(event, device_stream()));
    *made = event;
  });
}

const char* between(void* from, void* to, double* microseconds) {
  return guarded([&] {
    CUDA_CHECK(cudaEventSynchronize(static_cast<cudaEvent_t>(to)));
    float ms = 0;
    CUDA_CHECK(
        cudaEventElapsedTime(&ms, static_cast<cudaEvent_t>(from), static_cast<cudaEvent_t>(to)));
    *microseconds = ms * 1e3;
  });
}

const char* drop_mark(void* mark) {
  return guarded([&] { CUDA_CHECK(cudaEventDestroy(static_cast<cudaEvent_t>(mark))); });
}

const char* begin_capture() {
  return guarded([&] {
    CUDA_CHECK(cudaStreamBeginCapture(device_stream(), cudaStreamCaptureModeThreadLocal));
  });
}

const char* end_capture(void** graph) {
  return guarded([&] {
    cudaGraph_t recorded = nullptr;
    CUDA_CHECK(cudaStreamEndCapture(device_stream(), &recorded));
    cudaGraphExec_t made = nullptr;
    CUDA_CHECK(cudaGraphInstantiate(&made, recorded, 0));
    CUDA_CHECK(cudaGraphDestroy(recorded));
    *graph = made;
  });
}

const char* replay(void* graph) {
  return guarded(
      [&] { CUDA_CHECK(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), device_stream())); });
}

const char* drop_graph(void* graph) {
  return guarded([&] { CUDA_CHECK(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph))); });
}

const char* shapes(Work work, void* context, LaunchShape* into, int* count) {
  return guarded([&] {
    CUDA_CHECK(cudaStreamBeginCapture(device_stream(), cudaStreamCaptureModeThreadLocal));
    cudaGraph_t recorded = nullptr;
    try {
      work(context, device_stream());
    } catch (...) {
      cudaStreamEndCapture(device_stream(), &recorded);
      if (recorded != nullptr) cudaGraphDestroy(recorded);
      throw;
    }
    CUDA_CHECK(cudaStreamEndCapture(device_stream(), &recorded));
    std::size_t nodes = 0;
    CUDA_CHECK(cudaGraphGetNodes(recorded, nullptr, &nodes));
    std::vector<cudaGraphNode_t> all(nodes);
    if (nodes > 0) CUDA_CHECK(cudaGraphGetNodes(recorded, all.data(), &nodes));
    int found = 0;
    for (const cudaGraphNode_t node : all) {
      cudaGraphNodeType type{};
      CUDA_CHECK(cudaGraphNodeGetType(node, &type));
      if (type != cudaGraphNodeTypeKernel) continue;
      cudaKernelNodeParams p{};
      CUDA_CHECK(cudaGraphKernelNodeGetParams(node, &p));
      if (found < *count)
        into[found] = {p.func,
                       {p.gridDim.x, p.gridDim.y, p.gridDim.z},
                       {p.blockDim.x, p.blockDim.y, p.blockDim.z},
                       p.sharedMemBytes};
      ++found;
    }
    *count = found;
    CUDA_CHECK(cudaGraphDestroy(recorded));
  });
}

}  // namespace
}  // namespace warpath::harness

extern "C" __attribute__((visibility("default"))) const warpath::harness::Device* warpath_device() {
  using namespace warpath::harness;
  static const Device table{
      device_version, describe,      alloc,
      release,        upload,        download,
      copy,           fill,          first_difference,
      free_memory,    synchronise,   stream,
      time,           copy_rate,     matmul_rate_hook() ? matmul_rate : nullptr,
      timer_method,   mark,          between,
      drop_mark,      begin_capture, end_capture,
      replay,         drop_graph,    shapes};
  return &table;
}
