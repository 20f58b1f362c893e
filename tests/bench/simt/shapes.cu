// Five common shapes of kernels against the same work in plain C++ with as many OS threads. Prints
// one line per shape: both times and their ratio; fails where the results differ. --json gives
// data.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace {

constexpr int tile = 16, bins = 256, threads = 256;

__global__ void saxpy(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 0.5f * x[i] + y[i];
}

__global__ void stencil(const float* x, float* y, int side) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < 1 || c < 1 || r >= side - 1 || c >= side - 1) return;
  const float* p = x + r * side + c;
  y[r * side + c] = 0.2f * (p[0] + p[-1] + p[1] + p[-side] + p[side]);
}

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, col = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += tile) {
    as[threadIdx.y][threadIdx.x] = a[row * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + col];
    __syncthreads();
    for (int k = 0; k < tile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

__global__ void block_sums(const float* x, float* sums, int n) {
  __shared__ float part[threads];
  const int i = blockIdx.x * threads + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = threads / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

// The same with many elements per thread, as fast reductions do it.
__global__ void strided_sums(const float* x, float* sums, int n) {
  __shared__ float part[threads];
  float sum = 0;
  for (int i = blockIdx.x * threads + threadIdx.x; i < n; i += gridDim.x * threads) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int d = threads / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void histogram(const unsigned char* x, int* counts, int n) {
  __shared__ int own[bins];
  for (int k = threadIdx.x; k < bins; k += blockDim.x) own[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[x[i]], 1);
  __syncthreads();
  for (int k = threadIdx.x; k < bins; k += blockDim.x) atomicAdd(&counts[k], own[k]);
}

// Runs work(from, to) on every OS thread, each on its share of [0, n).
void share_out(int n, const std::function<void(int, int)>& work) {
  const char* text = std::getenv("SIMT_THREADS");
  const int count = text != nullptr ? std::atoi(text) : int(std::thread::hardware_concurrency());
  std::vector<std::thread> all;
  for (int t = 0; t < count; ++t)
    all.emplace_back(work, int(1LL * n * t / count), int(1LL * n * (t + 1) / count));
  for (std::thread& thread : all) thread.join();
}

// The loops of the kernel: one tile after the other, one element after the other.
void plain_matmul(const float* a, const float* b, float* c, int n) {
  share_out(n / tile, [=](int from, int to) {
    for (int block = from * (n / tile); block < to * (n / tile); ++block) {
      const int row = block / (n / tile) * tile, col = block % (n / tile) * tile;
      float as[tile][tile], bs[tile][tile], sum[tile][tile] = {};
      for (int t = 0; t < n; t += tile) {
        for (int i = 0; i < tile; ++i) {
          std::copy_n(a + (row + i) * n + t, tile, as[i]);
          std::copy_n(b + (t + i) * n + col, tile, bs[i]);
        }
        for (int i = 0; i < tile; ++i)
          for (int j = 0; j < tile; ++j)
            for (int k = 0; k < tile; ++k) sum[i][j] += as[i][k] * bs[k][j];
      }
      for (int i = 0; i < tile; ++i) std::copy_n(sum[i], tile, c + (row + i) * n + col);
    }
  });
}

double median_seconds(const std::function<void()>& work) {
  std::vector<double> times;
  work();
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

bool json = false, good = true;

// Both write `size` elements to `out`, and must agree.
template <class T>
void compare(const char* name, T* out, int size, const std::function<void()>& plain,
             const std::function<void()>& kernel) {
  const auto once = [&](const std::function<void()>& work) {
    std::fill_n(out, size, T(1));
    work();
    return std::vector<T>(out, out + size);
  };
  const std::vector<T> wanted = once(plain), got = once(kernel);
  for (int i = 0; i < size; ++i)
    if (std::abs(double(got[i]) - double(wanted[i])) > 1e-3 * std::abs(double(wanted[i])))
      good = false;
  const double a = median_seconds(plain), b = median_seconds(kernel);
  printf(json ? "{\"shape\": \"%s\", \"plain_ms\": %.4g, \"kernel_ms\": %.4g, \"ratio\": %.3g}\n"
              : "%-18s %10.4g ms %10.4g ms %8.3gx\n",
         name, a * 1e3, b * 1e3, b / a);
}

template <class T>
T* managed(int n) {
  T* p;
  if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) std::exit(1);
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const int n = 16 << 20, side = 4096, m = 512, blocks = n / threads;
  float *x = managed<float>(n), *y = managed<float>(n);
  unsigned char* bytes = managed<unsigned char>(n);
  int* counts = managed<int>(bins);
  for (int i = 0; i < n; ++i) {
    x[i] = float(i % 17) * 0.125f + 0.25f;
    bytes[i] = static_cast<unsigned char>((i * 2654435761u) >> 24);
  }
  if (!json) printf("%-18s %13s %13s %9s\n", "shape", "plain C++", "kernel", "ratio");

  compare<float>(
      "element-wise", y, n,
      [&] {
        share_out(n, [=](int from, int to) {
          for (int i = from; i < to; ++i) y[i] = 0.5f * x[i] + y[i];
        });
      },
      [&] { saxpy<<<blocks, threads>>>(x, y, n); });
  compare<float>(
      "stencil", y, side * side,
      [&] {
        share_out(side - 2, [=](int from, int to) {
          for (int r = from + 1; r <= to; ++r)
            for (int c = 1; c < side - 1; ++c) {
              const float* p = x + r * side + c;
              y[r * side + c] = 0.2f * (p[0] + p[-1] + p[1] + p[-side] + p[side]);
            }
        });
      },
      [&] { stencil<<<dim3(side / 32, side / 8), dim3(32, 8)>>>(x, y, side); });
  compare<float>(
      "tiled matmul", y, m * m, [&] { plain_matmul(x, x + m * m, y, m); },
      [&] { matmul<<<dim3(m / tile, m / tile), dim3(tile, tile)>>>(x, x + m * m, y, m); });
  const auto plain_sums = [=](int count) {
    share_out(count, [=](int from, int to) {
      for (int b = from; b < to; ++b) {
        float sum = 0;
        for (int i = b * threads; i < n; i += count * threads)
          for (int j = 0; j < threads; ++j) sum += x[i + j];
        y[b] = sum;
      }
    });
  };
  const int few = 256;  // blocks
  compare<float>(
      "block reduction", y, few, [&] { plain_sums(few); },
      [&] { strided_sums<<<few, threads>>>(x, y, n); });
  compare<float>(
      "  one element each", y, blocks, [&] { plain_sums(blocks); },
      [&] { block_sums<<<blocks, threads>>>(x, y, n); });
  compare<int>(
      "histogram", counts, bins,
      [&] {
        std::fill_n(counts, bins, 0);
        share_out(n, [=](int from, int to) {
          int own[bins] = {};
          for (int i = from; i < to; ++i) ++own[bytes[i]];
          for (int k = 0; k < bins; ++k) __atomic_fetch_add(&counts[k], own[k], __ATOMIC_RELAXED);
        });
      },
      [&] {
        std::fill_n(counts, bins, 0);
        histogram<<<64, threads>>>(bytes, counts, n);
      });

  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess || !good) {
    printf("failed: %s\n", good ? cudaGetErrorString(error) : "results differ");
    return 1;
  }
}
