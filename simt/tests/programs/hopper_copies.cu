// TMA: boxes of tensors of one to five dimensions with every swizzle, out of bounds, with strides; stores,
// reductions; plain bulk copies. Each against loops on the host.
#include <cuda_fp16.h>

#include <cstdlib>
#include <cstring>
#include <vector>

#include "hopper_boxes.h"

// Calls visit(byte in shared memory, byte in the tensor or -1) for each byte of the box.
template <class Visit>
void for_each_byte(const Tensor& t, Place p, int swizzle, Visit visit) {
  int count[5] = {1, 1, 1, 1, 1};
  for (int d = 0; d < t.rank; ++d)
    count[d] = d == 0 ? t.box[0] : (t.box[d] + t.steps[d] - 1) / t.steps[d];
  const int row = row_of(t);
  int line = 0;
  for (int e = 0; e < count[4]; ++e)
    for (int d = 0; d < count[3]; ++d)
      for (int c = 0; c < count[2]; ++c)
        for (int b = 0; b < count[1]; ++b, ++line)
          for (int a = 0; a < row; ++a) {
            const int index[5] = {a / t.size, b, c, d, e};
            long long from = a % t.size;
            for (int axis = 0; axis < t.rank && from >= 0; ++axis) {
              const long long at = p.at[axis] + (axis == 0 ? 1ll : t.steps[axis]) * index[axis];
              if (at < 0 || at >= static_cast<long long>(t.dims[axis])) from = -1;
              if (from >= 0)
                from += at * (axis == 0 ? t.size : static_cast<long long>(t.strides[axis - 1]));
            }
            int to = line * pitch_of(t, swizzle) + a;
            if (swizzle == 1) to ^= (to >> 7 & 1) << 4;
            if (swizzle == 2) to ^= (to >> 7 & 3) << 4;
            if (swizzle == 3) to ^= (to >> 7 & 7) << 4;
            visit(to, from);
          }
}

template <int Rank>
int check_load(const Tensor& t, Place p, int swizzle, const unsigned char* host,
               unsigned char* data, unsigned char* out) {
  CUtensorMap map;
  const auto type = t.size == 1   ? CU_TENSOR_MAP_DATA_TYPE_UINT8
                    : t.size == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                    : t.size == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                  : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
  if (encode(&map, t, type, data, static_cast<CUtensorMapSwizzle>(swizzle)) != CUDA_SUCCESS)
    return 1000000;
  std::vector<int> wanted(16384, untouched);
  int bytes = 0;
  for_each_byte(t, p, swizzle, [&](int to, long long from) {
    wanted[to] = from < 0 ? 0 : host[from];
    ++bytes;
  });
  const int room = rows_of(t) * pitch_of(t, swizzle);
  fetch<Rank><<<1, 64>>>(map, p, bytes, room, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1000001;
  int wrong = 0;
  for (int i = 0; i < room; ++i) wrong += out[i] != wanted[i];
  return wrong;
}

// A box of 32 x 8 words of shared memory, stored twice, once clipped.
template <int How>
__global__ void put(const __grid_constant__ CUtensorMap map, int x, int y, int first) {
  __shared__ alignas(128) int box[256];
  box[threadIdx.x] = first + static_cast<int>(threadIdx.x);
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
#define PUT(WHAT)                                                         \
  asm volatile(WHAT " [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(x), "r"(y), \
               "r"(hopper::address(box))                                  \
               : "memory")
  if constexpr (How == 0) PUT("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group");
  if constexpr (How == 1)
    PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group");
  if constexpr (How == 2)
    PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group");
  if constexpr (How == 3)
    PUT("cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group");
  hopper::commit_stores();
  hopper::wait_stores();
}

template <int How>
int check_store(int x, int y, int* data) {
  const int columns = 64, rows = 16, first = 1000;
  std::vector<int> wanted(columns * rows);
  for (int i = 0; i < columns * rows; ++i) data[i] = wanted[i] = 5 * i;
  for (int i = 0; i < 256; ++i) {
    const int c = x + i % 32, r = y + i / 32;
    if (c < 0 || c >= columns || r < 0 || r >= rows) continue;
    int& w = wanted[r * columns + c];
    w = How == 0   ? first + i
        : How == 1 ? w + first + i
        : How == 2 ? std::min(w, first + i)
                   : w ^ (first + i);
  }
  const CUtensorMap map = hopper::matrix_map(CU_TENSOR_MAP_DATA_TYPE_INT32, 4, data, columns, rows,
                                             32, 8, CU_TENSOR_MAP_SWIZZLE_NONE);
  put<How><<<1, 256>>>(map, x, y, first);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1000001;
  return std::memcmp(data, wanted.data(), wanted.size() * 4) != 0;
}

// Bytes in by a bulk copy, doubled, and out by another; then added as halves.
__global__ void plain(const int* in, int* out, __half* halves) {
  __shared__ alignas(128) int data[256];
  __shared__ alignas(16) __half ones[64];
  __shared__ uint64_t bar;
  const unsigned at = hopper::address(&bar);
  if (threadIdx.x == 0) {
    hopper::init(&bar, 256);
    hopper::fence_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 1024;" ::"r"(at));
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
            "r"(hopper::address(data)),
        "l"(in), "r"(1024), "r"(at)
        : "memory");
  }
  hopper::arrive(&bar);
  hopper::wait(&bar, 0);
  data[threadIdx.x] *= 2;
  if (threadIdx.x < 64) ones[threadIdx.x] = __float2half(1.0f);
  hopper::fence_async();
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out),
               "r"(hopper::address(data)), "r"(1024)
               : "memory");
  asm volatile(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%0], [%1], %2;" ::"l"(
          halves),
      "r"(hopper::address(ones)), "r"(128)
      : "memory");
  hopper::commit_stores();
  hopper::wait_stores_read();
  hopper::wait_stores();
}

int check_plain(int* data) {
  __half* const halves = reinterpret_cast<__half*>(data + 512);
  for (int i = 0; i < 256; ++i) data[i] = 3 * i - 100;
  for (int i = 0; i < 64; ++i) halves[i] = __float2half(float(i));
  plain<<<1, 256>>>(data, data + 256, halves);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1000001;
  int wrong = 0;
  for (int i = 0; i < 256; ++i) wrong += data[256 + i] != 2 * (3 * i - 100);
  for (int i = 0; i < 64; ++i) wrong += __half2float(halves[i]) != i + 1;
  return wrong;
}

int main() {
  unsigned char *data, *out;
  const int bytes = 1 << 16;
  cudaMallocManaged(&data, bytes);
  cudaMallocManaged(&out, 16384);
  for (int i = 0; i < bytes; ++i) data[i] = static_cast<unsigned char>(i * 131 + i / 256);
  const Tensor line{1, 4, {1000}, {}, {64}, {1}};
  const Tensor flat{2, 2, {100, 40}, {208}, {16, 32}, {1, 1}};
  const Tensor wide{2, 2, {100, 40}, {208}, {64, 24}, {1, 1}};
  const Tensor solid{3, 4, {20, 10, 6}, {80, 800}, {8, 4, 3}, {1, 1, 1}};
  const Tensor steps{3, 1, {48, 10, 6}, {48, 480}, {32, 7, 4}, {1, 3, 2}};
  const Tensor deep{4, 2, {13, 5, 4, 3}, {32, 160, 640}, {8, 3, 2, 2}, {1, 1, 1, 1}};
  const Tensor five{5, 8, {6, 4, 3, 3, 2}, {48, 192, 576, 1728}, {4, 2, 2, 2, 2}, {1, 1, 1, 1, 1}};
  int wrong = 0;
  wrong += check_load<1>(line, {{40}}, 0, data, data, out) +
           check_load<1>(line, {{980}}, 0, data, data, out);
  for (int swizzle = 0; swizzle < 4; ++swizzle) {
    for (int y : {0, 3, -5, 30}) {
      for (int x : {0, 8, -8, 96}) {
        wrong += check_load<2>(flat, {{x, y}}, swizzle, data, data, out);
        if (swizzle == 0 || swizzle == 3)
          wrong += check_load<2>(wide, {{x, y}}, swizzle, data, data, out);
      }
    }
    wrong += check_load<3>(solid, {{-4, 2, 4}}, swizzle, data, data, out);
    wrong += check_load<3>(steps, {{16, -2, 1}}, swizzle, data, data, out);
    wrong += check_load<4>(deep, {{8, 1, -1, 2}}, swizzle, data, data, out);
    wrong += check_load<5>(five, {{4, 3, 1, -1, 1}}, swizzle, data, data, out);
  }
  printf("loads: %d wrong\n", wrong);
  int* const words = reinterpret_cast<int*>(data);
  wrong = 0;
  for (int x : {0, 8, 40, 64}) {
    wrong += check_store<0>(x, 2, words) + check_store<1>(x, 12, words) +
             check_store<2>(x, 9, words) + check_store<3>(x, 4, words);
  }
  printf("stores: %d wrong\n", wrong);
  printf("plain: %d wrong\n", check_plain(words));

  // What the driver refuses.
  CUtensorMap map;
  Tensor bad = flat;
  const auto half = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  const auto none = CU_TENSOR_MAP_SWIZZLE_NONE;
  bad.strides[0] = 200;
  printf("stride of 200: %d", encode(&map, bad, half, data, none));
  bad = flat, bad.box[1] = 257;
  printf(", box of 257: %d", encode(&map, bad, half, data, none));
  bad = flat, bad.box[0] = 12;
  printf(", row of 24 bytes: %d", encode(&map, bad, half, data, none));
  bad = flat, bad.dims[1] = 0;
  printf(", no rows: %d", encode(&map, bad, half, data, none));
  bad = flat, bad.steps[1] = 9;
  printf(", steps of 9: %d\n", encode(&map, bad, half, data, none));
  printf("wider than the swizzle: %d", encode(&map, wide, half, data, CU_TENSOR_MAP_SWIZZLE_64B));
  printf(", misaligned: %d", encode(&map, flat, half, data + 8, none));
  printf(", NaN in integers: %d\n", encode(&map, flat, CU_TENSOR_MAP_DATA_TYPE_UINT16, data, none,
                                           CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA));
}
