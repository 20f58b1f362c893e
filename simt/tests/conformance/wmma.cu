// Warp matrix products of every shape and type. The numbers are small integers, so the sums are
// exact and the order of adding does not matter. Some elements and a checksum of each are facts.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "facts.h"

using namespace nvcuda;

template <class T>
__device__ T small_number(int i) {
  return static_cast<T>((i * 7 + i / 16) % 11 - 5);
}
template <>
__device__ __half small_number(int i) {
  return __float2half(small_number<float>(i));
}
template <>
__device__ __nv_bfloat16 small_number(int i) {
  return __float2bfloat16(small_number<float>(i));
}

// Element is what memory holds, Kind what the fragment is declared with: they differ for tf32 only.
template <class Kind, class Element, class Sum, int m, int n, int k, class LayoutA, class LayoutB>
__global__ void product(Name name, int stride_a, int stride_b) {
  __shared__ Element a[m * k], b[k * n];
  __shared__ Sum c[m * n];
  for (int i = threadIdx.x; i < m * k; i += 32) a[i] = small_number<Element>(i);
  for (int i = threadIdx.x; i < k * n; i += 32) b[i] = small_number<Element>(3 * i + 1);
  for (int i = threadIdx.x; i < m * n; i += 32) c[i] = small_number<Sum>(i + 2);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, m, n, k, Kind, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, Kind, LayoutB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> fc;
  wmma::load_matrix_sync(fa, a, stride_a);
  wmma::load_matrix_sync(fb, b, stride_b);
  wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::store_matrix_sync(c, fc, m, wmma::mem_col_major);
  __syncwarp();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int i = 0; i < m * n; ++i)
    sum += (i % 13 + 1) * static_cast<double>(static_cast<float>(c[i]));
  printf("%s: first %g, second %g, last %g, sum %.17g\n", name.text, static_cast<float>(c[0]),
         static_cast<float>(c[1]), static_cast<float>(c[m * n - 1]), sum);
  printf("%s elements a lane: %d of a, %d of b, %d of c\n", name.text,
         static_cast<int>(fa.num_elements), static_cast<int>(fb.num_elements),
         static_cast<int>(fc.num_elements));
}

template <class Kind, class Element, class Sum, int m, int n, int k>
void all_layouts(const char* what) {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  Name name;
  snprintf(name.text, sizeof name.text, "%s row row", what);
  product<Kind, Element, Sum, m, n, k, Row, Row><<<1, 32>>>(name, k, n);
  cudaDeviceSynchronize();
  snprintf(name.text, sizeof name.text, "%s row col", what);
  product<Kind, Element, Sum, m, n, k, Row, Column><<<1, 32>>>(name, k, k);
  cudaDeviceSynchronize();
  snprintf(name.text, sizeof name.text, "%s col row", what);
  product<Kind, Element, Sum, m, n, k, Column, Row><<<1, 32>>>(name, m, n);
  cudaDeviceSynchronize();
}

// Which rows and columns the elements of a lane stand for. NVIDIA leaves it open, yet programs rely
// on it.
__global__ void places() {
  __shared__ float c[256];
  for (int i = threadIdx.x; i < 256; i += 32) c[i] = i;
  __syncwarp();
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  for (int lane : {0, 1, 5, 31}) {
    __syncwarp();
    if (threadIdx.x == lane) {
      printf("places of lane %d:", lane);
      for (int i = 0; i < fc.num_elements; ++i) printf(" %g", fc.x[i]);
      printf("\n");
    }
  }
}

int main() {
  all_layouts<__half, __half, float, 16, 16, 16>("half float 16");
  all_layouts<__half, __half, __half, 16, 16, 16>("half half 16");
  all_layouts<__half, __half, float, 32, 8, 16>("half float 32");
  all_layouts<__half, __half, float, 8, 32, 16>("half float 8");
  all_layouts<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>("bf16 16");
  all_layouts<signed char, signed char, int, 16, 16, 16>("int8 16");
  all_layouts<unsigned char, unsigned char, int, 16, 16, 16>("uint8 16");
  all_layouts<wmma::precision::tf32, float, float, 16, 16, 8>("tf32 16");
  all_layouts<double, double, double, 8, 8, 4>("double 8");
  places<<<1, 32>>>();
  return finished();
}
