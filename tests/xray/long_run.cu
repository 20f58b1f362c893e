// A run that is as long as its argument says: turns of a loop, barriers, launches. Prints the most memory that the process had,
// in KiB, and the counts, which must not grow with it (xray_test.py). Compiled by `cc --xray` alone.
#include <simt/counts.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int elements = 4096;

// Every lane does all turns before the next lane begins: what is kept of the first must be bounded.
__global__ void turns(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += x[(k * 32 + static_cast<int>(threadIdx.x)) % elements];
  y[threadIdx.x] = sum;
}

__global__ void rounds(float* y, int n) {
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    y[threadIdx.x] += 1;
    __syncthreads();
  }
}

// One of eight warps does nearly all the work.
__global__ void first_warp(const float* x, float* y, int n) {
  float sum = 0;
  if (threadIdx.x < 32) {
#pragma unroll 1
    for (int k = 0; k < n; ++k) sum += x[k * 32 % elements + static_cast<int>(threadIdx.x)];
  }
  y[threadIdx.x] = sum;
}

long peak_kib() {
  long kib = 0;
  char line[256];
  std::FILE* status = std::fopen("/proc/self/status", "r");
  while (status != nullptr && std::fgets(line, sizeof line, status) != nullptr)
    if (std::strncmp(line, "VmHWM:", 6) == 0) kib = std::strtol(line + 6, nullptr, 10);
  if (status != nullptr) std::fclose(status);
  return kib;
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1000;
  float *x = nullptr, *y = nullptr;
  if (cudaMalloc(&x, elements * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMalloc(&y, elements * sizeof(float)) != cudaSuccess) return 1;
  cudaMemset(x, 0, elements * sizeof(float));
  cudaMemset(y, 0, elements * sizeof(float));
  turns<<<1, 32>>>(x, y, n);
  rounds<<<1, 64>>>(y, n / 100);
  for (int i = 0; i < n / 1000; ++i) first_warp<<<1, 256>>>(x, y, 1000);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  const std::string counts = simt::take_counts();
  std::printf("%ld\n%s", peak_kib(), counts.c_str());
  return 0;
}
