// CUB's block-wide and warp-wide primitives in kernels.
#include <cub/cub.cuh>

#include <cstdio>

constexpr int threads = 128, items = 4, tile = threads * items;

__global__ void sum_tiles(const int* in, int* out, int n) {
  using Load = cub::BlockLoad<int, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Reduce = cub::BlockReduce<int, threads>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Reduce::TempStorage reduce;
  } storage;
  int data[items];
  const int first = blockIdx.x * tile;
  Load(storage.load).Load(in + first, data, n - first, 0);
  __syncthreads();
  const int sum = Reduce(storage.reduce).Sum(data);
  __syncthreads();
  const int biggest = Reduce(storage.reduce).Reduce(data[0], cub::Max(), min(n - first, threads));
  if (threadIdx.x == 0) {
    atomicAdd(&out[0], sum);
    atomicMax(&out[1], biggest);
  }
}

struct RunningPrefix {
  int total;
  __device__ int operator()(int block_total) {
    const int before = total;
    total += block_total;
    return before;
  }
};

template <int Threads>
__global__ void scan_tiles(const int* in, int* out, int n) {
  typedef cub::BlockScan<int, Threads> Scan;
  typedef cub::BlockLoad<int, Threads, items> Load;
  typedef cub::BlockStore<int, Threads, items, cub::BLOCK_STORE_TRANSPOSE> Store;
  __shared__ typename Scan::TempStorage scan_storage;
  __shared__ typename Load::TempStorage load_storage;
  __shared__ typename Store::TempStorage store_storage;
  RunningPrefix prefix{1000};
  for (int first = 0; first < n; first += Threads * items) {
    int data[items];
    Load(load_storage).Load(in + first, data, n - first, 0);
    __syncthreads();
    Scan(scan_storage).ExclusiveSum(data, data, prefix);
    __syncthreads();
    Store(store_storage).Store(out + first, data, n - first);
    __syncthreads();
  }
}

__global__ void sort_tile(float* keys, int* values, unsigned* counts) {
  using Sort = cub::BlockRadixSort<float, threads, items, int>;
  using Exchange = cub::BlockExchange<int, threads, items>;
  using Flags = cub::BlockDiscontinuity<int, threads>;
  using Histogram = cub::BlockHistogram<unsigned char, threads, items, 16>;
  __shared__ typename Sort::TempStorage sort_storage;
  __shared__ typename Exchange::TempStorage exchange_storage;
  __shared__ typename Flags::TempStorage flag_storage;
  __shared__ typename Histogram::TempStorage histogram_storage;
  __shared__ unsigned histogram[16];
  float k[items];
  int v[items], heads[items];
  cub::LoadDirectStriped<threads>(threadIdx.x, keys, k);
  for (int i = 0; i < items; ++i) v[i] = threadIdx.x + i * threads;
  Sort(sort_storage).SortBlockedToStriped(k, v);
  cub::StoreDirectStriped<threads>(threadIdx.x, keys, k);
  Exchange(exchange_storage).StripedToBlocked(v);
  cub::StoreDirectBlocked(threadIdx.x, values, v);
  for (int& x : v) x /= 100;
  Flags(flag_storage).FlagHeads(heads, v, cub::Inequality());
  unsigned char bins[items];
  for (int i = 0; i < items; ++i) bins[i] = static_cast<unsigned char>(v[i] + 8 * (heads[i] != 0));
  Histogram(histogram_storage).Histogram(bins, histogram);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x] = histogram[threadIdx.x];
}

__global__ void warps(int* out) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int, 8>;
  __shared__ typename Reduce::TempStorage reduce_storage[4];
  __shared__ typename Scan::TempStorage scan_storage[16];
  const int x = threadIdx.x;
  const int sum = Reduce(reduce_storage[x / 32]).Sum(x);
  int before, total;
  Scan(scan_storage[x / 8]).ExclusiveSum(x, before, total);
  const int segment = Reduce(reduce_storage[x / 32]).HeadSegmentedSum(1, x % 32 % 5 == 0);
  if (x % 32 == 0) atomicAdd(&out[0], sum);
  if (x == 13) out[1] = before;
  if (x == 13) out[2] = total;
  if (x == 5) out[3] = segment;
  if (x == 30) out[4] = segment;
  const float tree = cub::BlockReduce<float, 128>().Sum(1.0f / (x + 1));
  if (x == 0) out[5] = static_cast<int>(tree * 1e6f);
}

int main() {
  const int n = 1500;
  int *in, *out;
  float* keys;
  unsigned* counts;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&out, n * sizeof(int));
  cudaMallocManaged(&keys, tile * sizeof(float));
  cudaMallocManaged(&counts, 16 * sizeof(unsigned));
  for (int i = 0; i < n; ++i) in[i] = i * 37 % 101;
  out[0] = out[1] = 0;
  sum_tiles<<<(n + tile - 1) / tile, threads>>>(in, out, n);
  cudaDeviceSynchronize();
  std::printf("sum %d max %d\n", out[0], out[1]);
  scan_tiles<64><<<1, 64>>>(in, out, n);
  cudaDeviceSynchronize();
  int expected = 1000, wrong = 0;
  for (int i = 0; i < n; ++i) {
    wrong += out[i] != expected;
    expected += in[i];
  }
  std::printf("scan: %d wrong, last %d\n", wrong, out[n - 1]);
  for (int i = 0; i < tile; ++i) keys[i] = static_cast<float>(i * 7919 % 601) - 300.0f;
  sort_tile<<<1, threads>>>(keys, out, counts);
  cudaDeviceSynchronize();
  wrong = 0;
  for (int i = 1; i < tile; ++i) wrong += keys[i - 1] > keys[i];
  std::printf("sort: %d wrong, %g .. %g, values %d %d\n", wrong, keys[0], keys[tile - 1], out[0],
              out[1]);
  for (int i = 0; i < 16; ++i) std::printf("%u%c", counts[i], i == 15 ? '\n' : ' ');
  for (int i = 0; i < 6; ++i) out[i] = 0;
  warps<<<1, 128>>>(out);
  cudaDeviceSynchronize();
  std::printf("warps: %d %d %d %d %d %d\n", out[0], out[1], out[2], out[3], out[4], out[5]);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
