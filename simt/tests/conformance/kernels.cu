// The headers and the runtime API as an ordinary program uses them: small types in shuffles,
// atomics and loads, symbols, pitched and managed memory, streams. The same output as on an H200.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <math_constants.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using namespace std;  // max, min and abs must stay unambiguous

#define CHECK(call)                                                                           \
  do {                                                                                        \
    const cudaError_t error = (call);                                                         \
    if (error != cudaSuccess) {                                                               \
      printf("%s:%d %s: %s\n", "api_kernels.cu", __LINE__, #call, cudaGetErrorString(error)); \
      return 1;                                                                               \
    }                                                                                         \
  } while (0)

__constant__ float coefficients[4];
__device__ unsigned int visits;
__managed__ int answer = 40;

template <class T>
__global__ void warp_sum(const T* in, T* out) {
  T value = __ldg(in + threadIdx.x);
  for (int offset = 16; offset > 0; offset /= 2)
    value += __shfl_down_sync(0xffffffff, value, offset);
  if (threadIdx.x == 0) *out = value;
}

__global__ void pairs(const __half2* in, __half2* total) {
  const __half2 mine = __hmul2(in[threadIdx.x], __float2half2_rn(0.5f));
  const __half2 other = __shfl_xor_sync(0xffffffff, mine, 1);
  atomicAdd(total, __hadd2(mine, __lowhigh2highlow(other)));
}

__global__ void polynomial(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = coefficients[3];
  for (int k = 2; k >= 0; --k) sum = fmaf(sum, x[i], coefficients[k]);
  y[i] = fmaxf(sum, -CUDART_INF_F);
  atomicAdd(&visits, 1u);
}

__global__ void rows(const float* data, size_t pitch, int width, int* longest) {
  const float* row =
      reinterpret_cast<const float*>(reinterpret_cast<const char*>(data) + blockIdx.x * pitch);
  const int negative = row[min(static_cast<int>(threadIdx.x), width - 1)] < 0;
  const int count = __syncthreads_count(negative && static_cast<int>(threadIdx.x) < width);
  if (threadIdx.x == 0) atomicMax(longest, count);
}

__global__ void vectors(const float4* in, double2* out) {
  const float4 v = in[threadIdx.x];
  out[threadIdx.x] = make_double2(v.x + v.y, max(v.z, v.w));
}

__global__ void add_two() {
  answer += 2;
}

template <class T>
int sum_of_small() {
  T host[32], result, *in, *out;
  for (int i = 0; i < 32; ++i) host[i] = T(i * 0.25f);
  CHECK(cudaMalloc(&in, sizeof host));
  CHECK(cudaMalloc(&out, sizeof(T)));
  CHECK(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  warp_sum<<<1, 32>>>(in, out);
  CHECK(cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost));
  printf("sum %g\n", float(result));
  CHECK(cudaFree(in));
  CHECK(cudaFree(out));
  return 0;
}

int main() {
  if (sum_of_small<float>() || sum_of_small<__half>() || sum_of_small<__nv_bfloat16>()) return 1;

  __half2 *pair_in, *pair_total;
  CHECK(cudaMallocManaged(&pair_in, 32 * sizeof(__half2)));
  CHECK(cudaMallocManaged(&pair_total, sizeof(__half2)));
  for (int i = 0; i < 32; ++i) pair_in[i] = __floats2half2_rn(i % 4, 1);
  *pair_total = __float2half2_rn(0);
  pairs<<<1, 32>>>(pair_in, pair_total);
  CHECK(cudaDeviceSynchronize());
  printf("pairs %g %g\n", __low2float(*pair_total), __high2float(*pair_total));

  const float host_coefficients[4] = {1, -2, 0.5f, 3};
  const int n = 1000;
  vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = (i - 500) / 100.0f;
  float *dx, *dy;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMallocAsync(&dx, n * sizeof(float), stream));
  CHECK(cudaMallocAsync(&dy, n * sizeof(float), stream));
  CHECK(cudaMemcpyToSymbol(coefficients, host_coefficients, sizeof host_coefficients));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaMemcpyAsync(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
  polynomial<<<(n + 127) / 128, 128, 0, stream>>>(dx, dy, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpyAsync(y.data(), dy, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaStreamSynchronize(stream));
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  unsigned int seen = 0;
  CHECK(cudaMemcpyFromSymbol(&seen, visits, sizeof seen));
  printf("p(-5) = %g, p(0) = %g, p(2) = %g, %u visits, time %s\n", y[0], y[500], y[700], seen,
         ms > 0 ? "passed" : "stood still");
  CHECK(cudaFreeAsync(dx, stream));
  CHECK(cudaFreeAsync(dy, stream));

  float *pitched, image[5][70];
  size_t pitch;
  int* longest;
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < 70; ++c) image[r][c] = c < r * 10 ? -1.0f : 1.0f;
  CHECK(cudaMallocPitch(&pitched, &pitch, sizeof image[0], 5));
  CHECK(cudaMemcpy2D(pitched, pitch, image, sizeof image[0], sizeof image[0], 5,
                     cudaMemcpyHostToDevice));
  CHECK(cudaMallocHost(&longest, sizeof(int)));
  *longest = 0;
  rows<<<5, 96>>>(pitched, pitch, 70, longest);
  CHECK(cudaDeviceSynchronize());
  printf("longest %d, pitch %zu\n", *longest, pitch);

  float4* quads;
  double2* twos;
  CHECK(cudaMallocManaged(&quads, 4 * sizeof(float4)));
  CHECK(cudaMallocManaged(&twos, 4 * sizeof(double2)));
  for (int i = 0; i < 4; ++i) quads[i] = make_float4(i, 0.5f, -i, CUDART_PI_F);
  vectors<<<1, 4>>>(quads, twos);
  CHECK(cudaDeviceSynchronize());
  printf("%g %.6f\n", twos[3].x, twos[3].y);

  add_two<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  printf("answer %d\n", answer);
  printf("fp8 %g %g\n", float(__nv_fp8_e4m3(3.3f)), float(__nv_fp8_e5m2(-3.3f)));
  CHECK(cudaStreamDestroy(stream));
  for (void* block :
       {(void*)pair_in, (void*)pair_total, (void*)quads, (void*)twos, (void*)pitched}) {
    CHECK(cudaFree(block));
  }
  CHECK(cudaFreeHost(longest));
  return 0;
}
