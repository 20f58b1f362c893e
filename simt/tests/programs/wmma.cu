// nvcuda::wmma: products of every type and shape against sums on the host, and where x[i] lies.
#include <mma.h>

#include <cstdio>
#include <vector>

using namespace nvcuda;

template <class T>
struct Device {
  T* data;
  explicit Device(int n) { cudaMallocManaged(&data, n * sizeof(T)); }
  ~Device() { cudaFree(data); }
};

template <int M, int N, int K, class T, class Storage, class Acc, class ALayout, class BLayout>
__global__ void product(const Storage* a, const Storage* b, const Acc* c, Acc* d, int k) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, ALayout> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, BLayout> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> fc;
  constexpr bool a_rows = std::is_same_v<ALayout, wmma::row_major>;
  constexpr bool b_rows = std::is_same_v<BLayout, wmma::row_major>;
  wmma::load_matrix_sync(fc, c, N, wmma::mem_row_major);
  for (int i = 0; i < k; i += K) {
    wmma::load_matrix_sync(fa, a_rows ? a + i : a + i * M, a_rows ? k : M);
    wmma::load_matrix_sync(fb, b_rows ? b + i * N : b + i, b_rows ? N : k);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(d, fc, M, wmma::mem_col_major);
}

template <int M, int N, int K, class T, class Storage, class Acc, class ALayout, class BLayout>
void check(const char* name) {
  const int k = 2 * K;
  Device<Storage> a(M * k), b(k * N);
  Device<Acc> c(M * N), d(M * N);
  std::vector<double> left(M * k), right(k * N);
  for (int m = 0; m < M; ++m) {
    for (int i = 0; i < k; ++i) {
      const int v = (m * 7 + i * 3) % 13 - (std::is_same_v<Storage, unsigned char> ? 0 : 6);
      left[m * k + i] = v;
      a.data[std::is_same_v<ALayout, wmma::row_major> ? m * k + i : i * M + m] = Storage(float(v));
    }
  }
  for (int i = 0; i < k; ++i) {
    for (int n = 0; n < N; ++n) {
      const int v = (n * 5 + i * 11) % 9 - (std::is_same_v<Storage, unsigned char> ? 0 : 4);
      right[i * N + n] = v;
      b.data[std::is_same_v<BLayout, wmma::row_major> ? i * N + n : n * k + i] = Storage(float(v));
    }
  }
  for (int i = 0; i < M * N; ++i) c.data[i] = Acc(float(i % 10));
  product<M, N, K, T, Storage, Acc, ALayout, BLayout><<<1, 32>>>(a.data, b.data, c.data, d.data, k);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int m = 0; m < M; ++m) {
    for (int n = 0; n < N; ++n) {
      double sum = (m * N + n) % 10;
      for (int i = 0; i < k; ++i) sum += left[m * k + i] * right[i * N + n];
      wrong += double(d.data[n * M + m]) != sum;
    }
  }
  std::printf("%s %dx%dx%d: %d wrong, %s\n", name, M, N, K, wrong,
              cudaGetErrorString(cudaGetLastError()));
}

__global__ void layout(float* rows, float* scaled) {
  __shared__ float tile[16 * 16];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = static_cast<float>(i);
  __syncwarp();
  wmma::load_matrix_sync(c, tile, 16, wmma::mem_row_major);
  if (threadIdx.x == 5) {
    for (int i = 0; i < c.num_elements; ++i) rows[i] = c.x[i];
  }
  for (int i = 0; i < c.num_elements; ++i) c.x[i] = c.x[i] * 2.0f + 1.0f;
  wmma::store_matrix_sync(scaled, c, 16, wmma::mem_row_major);
}

int main() {
  using R = wmma::row_major;
  using C = wmma::col_major;
  check<16, 16, 16, half, half, float, R, C>("half");
  check<16, 16, 16, half, half, half, C, R>("half to half");
  check<32, 8, 16, half, half, float, R, R>("half");
  check<8, 32, 16, half, half, float, C, C>("half");
  check<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, R, R>("bfloat16");
  check<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, R, C>("bfloat16");
  check<16, 16, 8, wmma::precision::tf32, float, float, R, C>("tf32");
  check<16, 16, 16, signed char, signed char, int, R, C>("int8");
  check<8, 32, 16, unsigned char, unsigned char, int, R, C>("uint8");
  check<8, 8, 4, double, double, double, R, C>("double");
  Device<float> rows(8), scaled(256);
  layout<<<1, 32>>>(rows.data, scaled.data);
  cudaDeviceSynchronize();
  std::printf("lane 5 holds:");
  for (int i = 0; i < 8; ++i) std::printf(" %g", rows.data[i]);
  std::printf("\nscaled %g %g\n", scaled.data[0], scaled.data[255]);
  std::printf("elements %d %d %d\n",
              wmma::fragment<wmma::matrix_a, 16, 16, 16, half, R>::num_elements,
              wmma::fragment<wmma::matrix_b, 32, 8, 16, __nv_bfloat16, R>::num_elements,
              wmma::fragment<wmma::accumulator, 8, 8, 4, double>::num_elements);
  std::printf("tf32 %.9g\n", wmma::__float_to_tf32(1.0007f));
  return 0;
}
