// How fast simt runs: element-wise work against the same loop in plain C++ with as many OS threads,
// tiled matrix products, and the cost of a launch. Prints one line per measurement; --json gives
// data.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace {

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

template <int Tile>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[Tile][Tile], bs[Tile][Tile];
  const int row = blockIdx.y * Tile + threadIdx.y, col = blockIdx.x * Tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += Tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void warp_sums(const float* x, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(out, sum);
}

__global__ void empty() {}

__global__ void barriers(int n) {
  for (int i = 0; i < n; ++i) __syncthreads();
}

double seconds(const std::function<void()>& work, int repeats) {
  std::vector<double> times;
  work();
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

unsigned thread_count() {
  const char* text = std::getenv("SIMT_THREADS");
  return text != nullptr ? static_cast<unsigned>(std::atoi(text))
                         : std::thread::hardware_concurrency();
}

void plain_saxpy(int n, float a, const float* x, float* y) {
  std::vector<std::thread> threads;
  const unsigned count = thread_count();
  for (unsigned t = 0; t < count; ++t) {
    threads.emplace_back([=] {
      const long long from = static_cast<long long>(n) * t / count;
      const long long to = static_cast<long long>(n) * (t + 1) / count;
      for (long long i = from; i < to; ++i) y[i] = a * x[i] + y[i];
    });
  }
  for (std::thread& thread : threads) thread.join();
}

bool json = false;
void report(const char* name, double value, const char* unit) {
  if (json) {
    printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", name, value, unit);
  } else {
    printf("%-28s %10.4g %s\n", name, value, unit);
  }
}

template <int Tile>
bool bench_matmul(const char* name, const float* a, const float* b, float* c, int n) {
  const dim3 block(Tile, Tile), grid(n / Tile, n / Tile);
  const double time = seconds([&] { matmul<Tile><<<grid, block>>>(a, b, c, n); }, 5);
  double wanted = 0;
  for (int k = 0; k < n; ++k) wanted += static_cast<double>(a[3 * n + k]) * b[k * n + 5];
  report(name, 2.0 * n * n * n / time * 1e-9, "GFLOP/s");
  return std::abs(wanted - c[3 * n + 5]) < 1e-3 * n;
}

}  // namespace

int main(int argc, char** argv) {
  json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const int n = 16 << 20;
  float *x, *y;
  cudaMallocManaged(&x, n * sizeof(float));
  cudaMallocManaged(&y, n * sizeof(float));
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 17) * 0.125f;
    y[i] = 1.0f;
  }
  const double plain = seconds([&] { plain_saxpy(n, 0.5f, x, y); }, 7);
  const double kernel = seconds([&] { saxpy<<<n / 256, 256>>>(n, 0.5f, x, y); }, 7);
  report("saxpy 16 Mi, plain C++", plain * 1e3, "ms");
  report("saxpy 16 Mi, kernel", kernel * 1e3, "ms");
  report("ratio", kernel / plain, "x");

  const int m = 512;
  bool good = bench_matmul<16>("matmul 512, tile 16", x, y, y + m * m, m);
  good = bench_matmul<32>("matmul 512, tile 32", x, y, y + m * m, m) && good;

  const double sums = seconds([&] { warp_sums<<<64, 256>>>(x, y, 1 << 20); }, 5);
  report("warp sums of 1 Mi", sums * 1e3, "ms");
  const double shuffle_free = 64.0 * 256 * 5;
  report("  a shuffle, at most", sums / shuffle_free * 1e9, "ns");

  const double launch = seconds(
      [] {
        for (int i = 0; i < 1000; ++i) empty<<<1, 1>>>();
      },
      5);
  report("launch, 1 block", launch * 1e3, "us");
  const double wide = seconds(
      [] {
        for (int i = 0; i < 1000; ++i) empty<<<8, 32>>>();
      },
      5);
  report("launch, 8 blocks", wide * 1e3, "us");
  const double waits = seconds([] { barriers<<<1, 256>>>(1000); }, 5);
  report("barrier, a thread", waits / (256.0 * 1000) * 1e9, "ns");
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess || !good) {
    printf("failed: %s\n", good ? cudaGetErrorString(error) : "a wrong product");
    return 1;
  }
}
