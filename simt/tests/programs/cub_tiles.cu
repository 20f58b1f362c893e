// CUB's blocks at the end of their data: differences of a partly filled tile, with and without the item before it, against
// a loop on the host; and a block's histogram in global memory.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_histogram.cuh>

#include <cstdio>

constexpr int threads = 32, items = 3, count = threads * items;
struct Minus {
  __host__ __device__ int operator()(int a, int b) const { return a - b; }
};
__global__ void differences(const int* in, int* left, int* left_of, int* right, int valid) {
  using Difference = cub::BlockAdjacentDifference<int, threads>;
  __shared__ typename Difference::TempStorage storage;
  int item[items], out[items];
  for (int i = 0; i < items; ++i) item[i] = in[threadIdx.x * items + i];
  Difference(storage).SubtractLeftPartialTile(item, out, Minus(), valid);
  for (int i = 0; i < items; ++i) left[threadIdx.x * items + i] = out[i];
  __syncthreads();
  Difference(storage).SubtractLeftPartialTile(item, out, Minus(), valid, 1000);
  for (int i = 0; i < items; ++i) left_of[threadIdx.x * items + i] = out[i];
  __syncthreads();
  Difference(storage).SubtractRightPartialTile(item, out, Minus(), valid);
  for (int i = 0; i < items; ++i) right[threadIdx.x * items + i] = out[i];
}
__global__ void histogram(const int* in, unsigned* bins) {
  using Histogram = cub::BlockHistogram<unsigned char, threads, items, 8, cub::BLOCK_HISTO_ATOMIC>;
  __shared__ typename Histogram::TempStorage storage;
  unsigned char item[items];
  for (int i = 0; i < items; ++i)
    item[i] = static_cast<unsigned char>(in[threadIdx.x * items + i] % 8);
  Histogram(storage).Histogram(item, bins);
}
int main() {
  int* in;
  unsigned* bins;
  cudaMallocManaged(&in, 4 * count * sizeof(int));
  cudaMallocManaged(&bins, 8 * sizeof(unsigned));
  for (int i = 0; i < count; ++i) in[i] = i * i % 101;
  int wrong = 0;
  for (const int valid : {0, 1, 2, 40, count - 1, count}) {
    differences<<<1, threads>>>(in, in + count, in + 2 * count, in + 3 * count, valid);
    cudaDeviceSynchronize();
    for (int i = 0; i < count; ++i) {
      const bool inside = i < valid;
      const int left = inside && i > 0 ? in[i] - in[i - 1] : in[i];
      const int left_of = !inside ? in[i] : i > 0 ? in[i] - in[i - 1] : in[i] - 1000;
      const int right = i + 1 < valid ? in[i] - in[i + 1] : in[i];
      wrong += in[count + i] != left || in[2 * count + i] != left_of || in[3 * count + i] != right;
    }
  }
  histogram<<<1, threads>>>(in, bins);
  cudaDeviceSynchronize();
  unsigned expected[8] = {};
  for (int i = 0; i < count; ++i) ++expected[in[i] % 8];
  for (int i = 0; i < 8; ++i) wrong += bins[i] != expected[i];
  printf("%d wrong\n", wrong);
  cudaFree(in);
  cudaFree(bins);
}
