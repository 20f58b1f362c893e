// Each thread writes the member of its own struct; and types that a cast to void** may hide
struct Particle {
  float x, y, z;
  int alive;
};

struct Base {
  virtual int size() = 0;
  int count;
};
struct Unknown;
using Callback = int(int);

__global__ void mark_a(Particle* p) {
  p[threadIdx.x].alive = threadIdx.x;
}
__global__ void mark_b(Particle* p) {
  p[threadIdx.x].alive = threadIdx.x;
}
__global__ void mark_c(Particle* p) {
  p[threadIdx.x].alive = threadIdx.x;
}
__global__ void mark_d(Particle* p) {
  p[threadIdx.x].alive = threadIdx.x;
}
__global__ void mark_rows(Particle (*p)[4]) {
  p[threadIdx.x][1].alive = threadIdx.x;
}
__global__ void wide(float* out) {
  reinterpret_cast<float4*>(out)[threadIdx.x] = make_float4(threadIdx.x, 0, 0, 0);
}
__global__ void bytes(char* out) {
  reinterpret_cast<float4*>(out)[threadIdx.x].w = threadIdx.x;
}
__global__ void plain(int (*out)[8]) {
  out[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
}
__global__ void half_of(double* out) {
  reinterpret_cast<float*>(out)[threadIdx.x] = threadIdx.x;
}
__device__ Particle known[32];
__global__ void variables() {
  __shared__ Particle own[32];
  own[threadIdx.x].y = threadIdx.x;
  known[threadIdx.x].alive = threadIdx.x;
}
__global__ void first(Particle* p) {
  p[0].y = threadIdx.x;
}

int main() {
  const int n = 32;
  Particle *a, *b, *c, *d, (*rows)[4];
  cudaMalloc(&a, n * sizeof(Particle));
  mark_a<<<1, n>>>(a);
  cudaMalloc((void**)&b, n * sizeof(Particle));
  mark_b<<<1, n>>>(b);
  cudaMallocManaged(reinterpret_cast<void**>(&c), n * sizeof(Particle));
  mark_c<<<1, n>>>(c);
  cudaMallocAsync(&d, n * sizeof(Particle), 0);
  mark_d<<<1, n>>>(d);
  cudaMalloc(&rows, n * sizeof *rows);
  mark_rows<<<1, n>>>(rows);
  float* out;
  cudaMalloc(&out, n * sizeof(float4));
  wide<<<1, n>>>(out);
  char* buffer;
  cudaMalloc((void**)&buffer, n * sizeof(float4));
  bytes<<<1, n>>>(buffer);
  int(*table)[8];
  cudaMalloc((void**)&table, 8 * sizeof *table);
  plain<<<1, n>>>(table);
  double* sums;
  cudaMalloc(&sums, n * sizeof(double));
  half_of<<<1, n>>>(sums);
  variables<<<1, n>>>();
  first<<<1, 1>>>(a);
  cudaDeviceSynchronize();

  const float* constant;
  volatile float* changing;
  Base* base;
  Unknown* unknown;
  Callback* callback;
  void* nothing;
  unsigned long long number;
  cudaMalloc(&constant, 16);
  cudaFree(const_cast<float*>(constant));
  cudaMalloc((void**)&constant, 16);
  cudaMalloc(&changing, 16);
  cudaMalloc((void**)&changing, 16);
  cudaMalloc(&base, 16);
  cudaMalloc(&unknown, 16);
  cudaMalloc((void**)&unknown, 16);
  cudaMalloc(&callback, 16);
  cudaMalloc(&nothing, 16);
  cudaMalloc((void**)&number, 16);
  cudaMallocHost((void**)&nothing, 16);
  cudaHostAlloc((void**)&constant, 16, cudaHostAllocDefault);
}
