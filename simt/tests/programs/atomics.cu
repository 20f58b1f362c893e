// Every atomic function with every type it takes.
#include <cstdio>

template <class T>
struct Results {
  T add, sub, exchange, least, most, bits_and, bits_or, bits_xor;
};

template <class T>
__global__ void integers(Results<T>* r) {
  const T i = static_cast<T>(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&r->add, i);
  atomicMin(&r->least, i);
  atomicMax(&r->most, i);
  atomicAnd(&r->bits_and, static_cast<T>(~(static_cast<T>(1) << (i % 20))));
  atomicOr(&r->bits_or, static_cast<T>(1) << (i % 20));
  atomicXor(&r->bits_xor, i);
  atomicExch(&r->exchange, static_cast<T>(77));
}

template <class T>
__global__ void subtract(T* x) {
  atomicSub(x, static_cast<T>(2));
}

__global__ void others(float* f, double* d, unsigned* u, unsigned short* s, float4* v,
                       long long* l) {
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicAdd_block(f, 0.5f);
  atomicAdd_system(d, 0.25);
  atomicInc(&u[0], 6);
  atomicDec(&u[1], 6);
  atomicAdd(v, make_float4(1, 2, 3, 4));
  atomicMax(l, static_cast<long long>(threadIdx.x) - 300);
  atomicMin(l + 1, static_cast<long long>(threadIdx.x) - 300);
  unsigned short old = *s, seen;
  do {
    seen = old;
    old = atomicCAS(s, seen, static_cast<unsigned short>(seen + 3));
  } while (old != seen);
  atomicExch(f + 1, 2.5f);
}

template <class T>
void run(const char* name) {
  Results<T>* r;
  cudaMallocManaged(&r, sizeof *r);
  *r = {0, 1000, 0, 100, 0, static_cast<T>(-1), 0, 0};
  integers<T><<<8, 64>>>(r);
  cudaDeviceSynchronize();
  printf("%s: %lld %lld %lld %lld %lld %lld %lld\n", name, (long long)r->add,
         (long long)r->exchange, (long long)r->least, (long long)r->most,
         (long long)(r->bits_and & 0xffffff), (long long)r->bits_or, (long long)r->bits_xor);
}

int main() {
  run<int>("int");
  run<unsigned>("unsigned");
  run<unsigned long long>("unsigned long long");
  int* i;
  cudaMallocManaged(&i, 4);
  *i = 1000;
  subtract<<<4, 32>>>(i);
  cudaDeviceSynchronize();
  printf("%d\n", *i);
  char* m;
  cudaMallocManaged(&m, 256);
  cudaMemset(m, 0, 256);
  auto* f = reinterpret_cast<float*>(m);
  auto* d = reinterpret_cast<double*>(m + 16);
  auto* u = reinterpret_cast<unsigned*>(m + 32);
  auto* s = reinterpret_cast<unsigned short*>(m + 48);
  auto* v = reinterpret_cast<float4*>(m + 64);
  auto* l = reinterpret_cast<long long*>(m + 96);
  l[0] = -1000;
  others<<<2, 50>>>(f, d, u, s, v, l);
  cudaDeviceSynchronize();
  printf("%g %g %g %u %u %u %g %g %g %g %lld %lld\n", f[0], f[1], d[0], u[0], u[1], *s, v->x, v->y,
         v->z, v->w, l[0], l[1]);
}
