// TMA as the programming guide writes it: cuda::barrier with cuda::device::experimental, one-dimensional bulk copies, and
// a tensor map that the driver encodes, found with cudaGetDriverEntryPoint.

#include <cuda.h>
#include <cuda/barrier>

#include <cstdio>
#include <utility>
#include <vector>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int piece = 512;

// Each block takes a piece into shared memory, adds to it and puts it back.
__global__ void add_one(int* data, size_t offset) {
  __shared__ alignas(16) int part[piece];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cuda::memcpy_async(part, data + offset + blockIdx.x * piece,
                       cuda::aligned_size_t<16>(sizeof part), bar);
    token = bar.arrive();
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < piece; i += blockDim.x) part[i] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(data + offset + blockIdx.x * piece, part, sizeof part);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

// The same with the copy in the barrier's own words.
__global__ void add_two(int* data) {
  __shared__ alignas(16) int part[piece];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_global_to_shared(part, data + blockIdx.x * piece, sizeof part, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof part);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  for (int i = threadIdx.x; i < piece; i += blockDim.x) part[i] += 2;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_shared_to_global(data + blockIdx.x * piece, part, sizeof part);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

constexpr int rows = 8, cols = 32;

// A tile of a matrix comes, grows and goes.
__global__ void add_tile(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int tile[rows][cols];
  __shared__ barrier bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  tile[threadIdx.x / cols][threadIdx.x % cols] += threadIdx.x;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
    (&bar)->~barrier();
  }
}

// Boxes of one, three, four and five dimensions, from one tensor to another.
__global__ void move(const __grid_constant__ CUtensorMap from,
                     const __grid_constant__ CUtensorMap to, int dimensions) {
  __shared__ alignas(128) int box[64];
  __shared__ barrier bar;
  init(&bar, 1);
  cde::fence_proxy_async_shared_cta();
  switch (dimensions) {
    case 1:
      cde::cp_async_bulk_tensor_1d_global_to_shared(box, &from, 4, bar);
      break;
    case 3:
      cde::cp_async_bulk_tensor_3d_global_to_shared(box, &from, 4, 1, 1, bar);
      break;
    case 4:
      cde::cp_async_bulk_tensor_4d_global_to_shared(box, &from, 4, 1, 1, 2, bar);
      break;
    default:
      cde::cp_async_bulk_tensor_5d_global_to_shared(box, &from, 4, 1, 1, 2, 0, bar);
  }
  int size = 4;
  for (int i = 0; i < dimensions; ++i) size *= i == 0 ? 4 : 2;
  barrier::arrival_token token = cuda::device::barrier_arrive_tx(bar, 1, size);
  bar.wait(std::move(token));
  switch (dimensions) {
    case 1:
      cde::cp_async_bulk_tensor_1d_shared_to_global(&to, 0, box);
      break;
    case 3:
      cde::cp_async_bulk_tensor_3d_shared_to_global(&to, 0, 0, 0, box);
      break;
    case 4:
      cde::cp_async_bulk_tensor_4d_shared_to_global(&to, 0, 0, 0, 0, box);
      break;
    default:
      cde::cp_async_bulk_tensor_5d_shared_to_global(&to, 0, 0, 0, 0, 0, box);
  }
  cde::cp_async_bulk_commit_group();
  cde::cp_async_bulk_wait_group_read<0>();
}

typedef CUresult (*EncodeTiled)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*,
                                const cuuint64_t*, const cuuint64_t*, const cuuint32_t*,
                                const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

CUtensorMap make_map(int* data, int rank, const cuuint64_t* size, const cuuint32_t* box) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault,
                                   &found);
  if (found != cudaDriverEntryPointSuccess) printf("no cuTensorMapEncodeTiled\n");
  CUtensorMap map{};
  cuuint64_t strides[5];
  cuuint32_t steps[] = {1, 1, 1, 1, 1};
  for (int i = 0; i < rank - 1; ++i) strides[i] = (i > 0 ? strides[i - 1] : sizeof(int)) * size[i];
  const CUresult result =
      ((EncodeTiled)function)(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, rank, data, size, strides, box,
                              steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) printf("encoding failed: %d\n", result);
  return map;
}

int main() {
  const int n = 4 * piece;
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = i;
  int* data;
  cudaMalloc(&data, n * sizeof(int));
  cudaMemcpy(data, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  add_one<<<2, 128>>>(data, piece);
  add_two<<<4, 128>>>(data);
  cudaMemcpy(host.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += host[i] != i + 2 + (i >= piece && i < 3 * piece);
  printf("bulk copies: %d wrong\n", wrong);

  const int height = 40, width = 64;  // 2560 integers, more than the pieces before
  int *matrix, *other;
  cudaMalloc(&matrix, height * width * sizeof(int));
  cudaMalloc(&other, height * width * sizeof(int));
  std::vector<int> image(height * width);
  for (int i = 0; i < height * width; ++i) image[i] = 1000 * (i / width) + i % width;
  cudaMemcpy(matrix, image.data(), image.size() * sizeof(int), cudaMemcpyHostToDevice);
  const cuuint64_t size[] = {width, height};
  const cuuint32_t box[] = {cols, rows};
  // The tile sticks out below: what is outside is neither read nor written.
  add_tile<<<1, rows * cols>>>(make_map(matrix, 2, size, box), 16, height - 4);
  cudaMemcpy(image.data(), matrix, image.size() * sizeof(int), cudaMemcpyDeviceToHost);
  wrong = 0;
  for (int i = 0; i < height * width; ++i) {
    const int row = i / width - (height - 4), col = i % width - 16;
    const bool inside = row >= 0 && row < rows && col >= 0 && col < cols;
    wrong += image[i] != 1000 * (i / width) + i % width + (inside ? row * cols + col : 0);
  }
  printf("a tile: %d wrong\n", wrong);

  for (int rank : {1, 3, 4, 5}) {
    const cuuint64_t sizes[] = {16, 4, 4, 4, 2}, ends[] = {4, 2, 2, 2, 2};
    const cuuint32_t boxes[] = {4, 2, 2, 2, 2};
    const int count = 16 * 4 * 4 * 4 * 2;
    for (int i = 0; i < count; ++i) image[i] = i;
    cudaMemcpy(matrix, image.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    move<<<1, 1>>>(make_map(matrix, rank, sizes, boxes), make_map(other, rank, ends, boxes), rank);
    int moved = 4;
    for (int i = 1; i < rank; ++i) moved *= 2;
    std::vector<int> got(moved);
    cudaMemcpy(got.data(), other, moved * sizeof(int), cudaMemcpyDeviceToHost);
    const int start[] = {4, 1, 1, 2, 0}, step[] = {1, 16, 64, 256, 1024};
    wrong = 0;
    for (int i = 0; i < moved; ++i) {
      int want = start[0] + i % 4, rest = i / 4;
      for (int k = 1; k < rank; ++k, rest /= 2) want += (start[k] + rest % 2) * step[k];
      wrong += got[i] != want;
    }
    printf("%d dimensions: %d wrong\n", rank, wrong);
  }
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(data), cudaFree(matrix), cudaFree(other);
}
