// Accesses at an address that is no multiple of what their type needs, plain ones, by functions, atomics and inline PTX: they
// end the kernel with an error that sticks, and the same accesses in their place do not.
#include <cstdio>

__global__ void cached(const float* p, float* out) {
  float4 v = __ldg(reinterpret_cast<const float4*>(p));
  out[8] = v.x + v.y;
}
__global__ void streamed(const float*, float* out) {
  __stcs(reinterpret_cast<int2*>(out), make_int2(1, 2));
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
__global__ void pair(const float* p, float* out) {
  const float2 v = *reinterpret_cast<const float2*>(p);
  out[8] = v.y;
}
__global__ void wide(const float* p, float* out) {
  out[8] = static_cast<float>(*reinterpret_cast<const double*>(p));
}
__global__ void half_way(const float* p, float* out) {
  const bool odd = reinterpret_cast<size_t>(p) % 16 != 0;
  out[8] = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(p) + 2 * odd);
}
__global__ void shared_store(const float* p, float* out) {
  __shared__ double values[4];
  const bool odd = reinterpret_cast<size_t>(p) % 16 != 0;
  *reinterpret_cast<double*>(reinterpret_cast<char*>(values) + 4 * odd) = 1;
  out[8] = static_cast<float>(values[0]);
}
__global__ void counted(const float*, float* out) {
  atomicAdd(reinterpret_cast<unsigned long long*>(out), 1ull);
}
__global__ void swapped(const float*, float* out) {
  atomicCAS(reinterpret_cast<unsigned long long*>(out), 0ull, 1ull);
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
  RUN(cached);
  RUN(streamed);
  RUN(ptx);
  RUN(ptx_store);
  RUN(pair);
  RUN(wide);
  RUN(half_way);
  RUN(shared_store);
  RUN(counted);
  RUN(swapped);
  RUN(guarded);
}
