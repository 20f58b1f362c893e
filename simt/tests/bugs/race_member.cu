// Pairs of threads write one member of a struct: arrays of structs, however they were allocated, and arrays used as wider types
struct Particle {
  float x, y, z;
  int alive;
};

__global__ void mark_a(Particle* p) {
  p[threadIdx.x / 2].alive = threadIdx.x;
}
__global__ void mark_b(Particle* p) {
  p[threadIdx.x / 2].alive = threadIdx.x;
}
__global__ void mark_c(Particle* p) {
  p[threadIdx.x / 2].alive = threadIdx.x;
}
__global__ void mark_d(Particle* p) {
  p[threadIdx.x / 2].alive = threadIdx.x;
}
__global__ void mark_rows(Particle (*p)[4]) {
  p[threadIdx.x / 2][1].alive = threadIdx.x;
}
__global__ void wide(float* out) {
  reinterpret_cast<float4*>(out)[1 + threadIdx.x / 2] = make_float4(threadIdx.x, 0, 0, 0);
}
__global__ void bytes(char* out) {
  reinterpret_cast<float4*>(out)[1].w = threadIdx.x;
}
__global__ void plain(int (*out)[8]) {
  out[2][3] = threadIdx.x;
}
__global__ void half_of(double* out) {
  reinterpret_cast<float*>(out)[3] = threadIdx.x;
}
__device__ Particle known[4];
__global__ void variables() {
  __shared__ Particle own[8];
  own[threadIdx.x / 8].y = threadIdx.x;
  known[2].alive = threadIdx.x;
}
__global__ void before(Particle* p) {
  p[-1].y = threadIdx.x;
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
  before<<<1, 1>>>(a);
  cudaDeviceSynchronize();
}
