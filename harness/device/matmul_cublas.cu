// The vendor's fastest matmul: the arithmetic side of the roofline. Compiled where cuBLAS is found.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "harness/device/parts.h"

namespace warpath::harness {
namespace {

constexpr int edge = 8192;

void check(cublasStatus_t status, const char* call) {
  WARPATH_CHECK(status == CUBLAS_STATUS_SUCCESS,
                std::string(call) + " returned " + std::to_string(static_cast<int>(status)));
}

__device__ unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

// Normally distributed inputs: zeros or constants toggle fewer wires, draw less power and give a
// rate that no real matmul reaches.
__global__ void normal_kernel(__nv_bfloat16* x, std::int64_t n, unsigned seed) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const auto key = static_cast<unsigned>(i) * 2u + seed;
  const float u = (static_cast<float>(mixed(key)) + 1.0f) * 0x1p-32f;
  const float v = static_cast<float>(mixed(key + 1)) * 0x1p-32f;
  x[i] = __float2bfloat16(sqrtf(-2.0f * logf(u)) * cospif(2.0f * v));
}

struct Matmul {
  cublasHandle_t handle;
  void *a, *b, *c;
};

void multiply(void* context, void* stream) {
  const auto& m = *static_cast<const Matmul*>(context);
  const float one = 1, zero = 0;
  check(cublasSetStream(m.handle, static_cast<cudaStream_t>(stream)), "cublasSetStream");
  check(cublasGemmEx(m.handle, CUBLAS_OP_T, CUBLAS_OP_N, edge, edge, edge, &one, m.a, CUDA_R_16BF,
                     edge, m.b, CUDA_R_16BF, edge, &zero, m.c, CUDA_R_16BF, edge,
                     CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

void measure(Rate* out) {
  const std::int64_t n = std::int64_t{edge} * edge;
  const auto bytes = n * static_cast<std::int64_t>(sizeof(__nv_bfloat16));
  const DeviceBuffer a(bytes), b(bytes), c(bytes);
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  normal_kernel<<<blocks, 256, 0, device_stream()>>>(static_cast<__nv_bfloat16*>(a.data), n, 1u);
  normal_kernel<<<blocks, 256, 0, device_stream()>>>(static_cast<__nv_bfloat16*>(b.data), n,
                                                     77777u);
  CUDA_CHECK(cudaGetLastError());

  Matmul m{nullptr, a.data, b.data, c.data};
  check(cublasCreate(&m.handle), "cublasCreate");
  const Timing t = summarise_samples(time_work(TimerOptions{}, multiply, &m));
  cublasDestroy(m.handle);
  *out = {2.0 * edge * edge * edge / (t.median_us * 1e-6), "cuBLAS, bf16, 8192 x 8192 x 8192"};
}

const bool hooked = (matmul_rate_hook() = measure, true);

}  // namespace
}  // namespace warpath::harness
