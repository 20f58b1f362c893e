// Vector accesses at an address that is no multiple of their size: in every way to write them they end the kernel with an
// error that sticks, and the same accesses in their place do not.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

struct alignas(16) Vec {
  float v[4];
};
union Both {
  float4 f;
  int4 i;
};
template <class T>
struct Row {
  T* data;
  __device__ T* at(int i) const { return data + i; }
};

__global__ void sum_of(const float* p, float* out) {
  float4 v = *reinterpret_cast<const float4*>(p);
  out[8] = v.x + v.y + v.z + v.w;
}
__global__ void c_cast(const float* p, float* out) {
  float4 v = *(const float4*)p;
  out[8] = v.x * v.w - 1;
}
__global__ void c_cast_index(const float* p, float* out) {
  out[8] = ((const float4*)p)[threadIdx.x].z;
}
__global__ void pair(const float* p, float* out) {
  float2 v = *(float2*)&p[0];
  out[8] = v.x + v.y;
}
__global__ void member(const float* p, float* out) {
  out[8] = reinterpret_cast<const float4*>(p)->y;
}
__global__ void variable(const float* p, float* out) {
  const float4* q = reinterpret_cast<const float4*>(p);
  for (int i = 0; i < 2; ++i) out[8 + i] = q[i].x;
}
__global__ void variable_auto(const float* p, float* out) {
  const auto q = reinterpret_cast<const int4*>(p);
  out[8] = (*q).x + (*(q + 1)).y;
}
__global__ void parameter(const float4* __restrict__ p, float* out) {
  float4 s = p[0];
  s.x += p[1].x;
  out[8] = s.x + s.y;
}
template <class T>
__global__ void any(const T* p, float* out) {
  T v = p[threadIdx.x];
  out[8] = reinterpret_cast<const float*>(&v)[0];
}
__global__ void cached(const float* p, float* out) {
  float4 v = __ldg(reinterpret_cast<const float4*>(p));
  out[8] = v.x + v.y;
}
__global__ void streamed(const float*, float* out) {
  __stcs(reinterpret_cast<int2*>(out), make_int2(1, 2));
}
__global__ void stored(const float*, float* out) {
  *reinterpret_cast<uint2*>(out) = make_uint2(1, 2);
}
__global__ void own_type(const float* p, float* out) {
  Vec v = *reinterpret_cast<const Vec*>(p);
  out[8] = v.v[0] + v.v[3];
}
__global__ void own_union(const float* p, float* out) {
  const Both* b = reinterpret_cast<const Both*>(p);
  out[8] = b->i.x + b[1].f.y;
}
__global__ void number(const float* p, float* out) {
  out[8] = static_cast<float>(*reinterpret_cast<const double*>(p));
}
__device__ float in_function(const float2* q, int i) {
  return q[i].y;
}
__global__ void function(const float* p, float* out) {
  out[8] = in_function(reinterpret_cast<const float2*>(p), 1);
}
__global__ void tile(const float* p, float* out) {
  __shared__ float s[64];
  s[threadIdx.x] = *p;
  __syncthreads();
  const int shift = (reinterpret_cast<size_t>(p) / 4) % 4;
  float4 v = *reinterpret_cast<float4*>(&s[shift]);
  __syncthreads();
  out[8] = v.x + v.y;
}
__global__ void ptx(const float* p, float* out) {
  float x, y, z, w;
  asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(p));
  out[8] = x + y + z + w;
}
__global__ void ptx_store(const float*, float* out) {
  asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(out), "f"(1.0f), "f"(2.0f));
}
// Only where it is aligned, and addresses alone: these are right.
__global__ void guarded(const float* p, float* out) {
  const float4* q = reinterpret_cast<const float4*>(p);
  const float4* second = &q[1];
  const bool aligned = reinterpret_cast<size_t>(p) % sizeof(float4) == 0;
  out[8] = aligned ? q[0].x : static_cast<float>(second - q);
}

float *in, *out;

template <class Kernel>
void run(const char* name, Kernel kernel) {
  printf("%s:", name);
  for (const int offset : {0, 1}) {
    cudaMalloc(&in, 1024);
    cudaMalloc(&out, 1024);
    cudaMemset(in, 0, 1024);
    kernel(in + offset, out + offset);
    printf(" %s", cudaGetErrorName(cudaDeviceSynchronize()));
    if (offset == 1) printf(" %s", cudaGetErrorName(cudaFree(in)));
    cudaDeviceReset();
  }
  printf("\n");
}
#define RUN(kernel) run(#kernel, [](float* p, float* o) { kernel<<<1, 2>>>(p, o); })

int main() {
  RUN(sum_of);
  RUN(c_cast);
  RUN(c_cast_index);
  RUN(pair);
  RUN(member);
  RUN(variable);
  RUN(variable_auto);
  run("parameter", [](float* p, float* o) { parameter<<<1, 2>>>((const float4*)p, o); });
  run("any double2", [](float* p, float* o) { any<<<1, 2>>>((const double2*)p, o); });
  run("any half2", [](float* p, float* o) { any<<<1, 2>>>((const half2*)p, o); });
  run("half2", [](float* p, float* o) {
    const bool odd = reinterpret_cast<size_t>(p) % 8 != 0;
    any<<<1, 2>>>((const half2*)((char*)p + 2 * odd), o);
  });
  RUN(cached);
  RUN(streamed);
  RUN(stored);
  RUN(own_type);
  RUN(own_union);
  RUN(number);
  RUN(function);
  RUN(tile);
  RUN(ptx);
  RUN(ptx_store);
  RUN(guarded);
}
