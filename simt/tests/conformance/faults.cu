// What the runtime answers to faults in kernels, and to calls after them: each in a process of its own, for nothing works
// after it. The expected output is to be recorded on an H200.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

template <class T>
__global__ void read_as(const void* p, void* out) {
  *static_cast<T*>(out) = *static_cast<const T*>(p);
}
template <class T>
__global__ void write_as(void* p) {
  *static_cast<T*>(p) = T{};
}
template <class T>
__global__ void shared_as(int offset, void* out) {
  __shared__ __align__(16) char bytes[64];
  if (threadIdx.x < 64) bytes[threadIdx.x] = 0;
  __syncthreads();
  *static_cast<T*>(out) = *reinterpret_cast<const T*>(bytes + offset);
}
__global__ void add_at(void* p) {
  atomicAdd(static_cast<int*>(p), 1);
}
__global__ void trap() {
  __trap();
}

// `sticky` is what an unrelated call says after the fault.
template <class F>
static void fault(const char* what, F launch) {
  char *p = nullptr, *out = nullptr;
  cudaMalloc(&p, 256);
  cudaMalloc(&out, 256);
  cudaMemset(p, 0, 256);
  launch(p, out);
  const cudaError_t last = cudaGetLastError(), later = cudaDeviceSynchronize();
  const cudaError_t sticky = cudaMemset(p, 0, 256);
  std::printf("%-42s %3d later %3d sticky %3d\n", what, last, later, sticky);
}
#define FAULT(...)                             \
  if (number++ == chosen)                      \
  fault(#__VA_ARGS__, [](char* p, char* out) { \
    __VA_ARGS__;                               \
    (void)p, (void)out;                        \
  })

static int faults(int chosen) {
  int number = 0;
  FAULT(read_as<float4><<<1, 1>>>(p, out));
  FAULT(read_as<float4><<<1, 1>>>(p + 4, out));
  FAULT(read_as<float4><<<1, 1>>>(p + 8, out));
  FAULT(read_as<float2><<<1, 1>>>(p + 4, out));
  FAULT(read_as<double2><<<1, 1>>>(p + 8, out));
  FAULT(read_as<float3><<<1, 1>>>(p + 4, out));
  FAULT(read_as<short2><<<1, 1>>>(p + 2, out));
  FAULT(read_as<uchar4><<<1, 1>>>(p + 1, out));
  FAULT(read_as<int><<<1, 1>>>(p + 1, out));
  FAULT(read_as<int><<<1, 1>>>(p + 2, out));
  FAULT(read_as<double><<<1, 1>>>(p + 4, out));
  FAULT(read_as<short><<<1, 1>>>(p + 1, out));
  FAULT(write_as<float4><<<1, 1>>>(p + 4));
  FAULT(write_as<int2><<<1, 1>>>(p + 4));
  FAULT(write_as<int><<<1, 1>>>(p + 3));
  FAULT(shared_as<float4><<<1, 64>>>(0, out));
  FAULT(shared_as<float4><<<1, 64>>>(4, out));
  FAULT(shared_as<int><<<1, 64>>>(2, out));
  FAULT(add_at<<<1, 1>>>(p + 2));
  FAULT(read_as<int><<<1, 1>>>(nullptr, out));
  FAULT(write_as<int><<<1, 1>>>(nullptr));
  FAULT(trap<<<1, 1>>>());
  return number;
}

int main(int argc, char** argv) {
  if (argc > 1) {
    faults(std::atoi(argv[1]));
    return 0;
  }
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) return 1;
  const int count = faults(-1);
  bool failed = false;  // --check says so of each that it has reported
  for (int i = 0; i < count; ++i) {
    const std::string command = std::string(self) + " " + std::to_string(i);
    std::fflush(stdout);
    failed |= std::system(command.c_str()) != 0;
  }
  return failed;
}
