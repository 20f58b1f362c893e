// Every way to declare shared memory.
#include <cstdio>

extern __shared__ float file_scope_dynamic[];
__shared__ int file_scope_static[32];

template <class A, class B>
struct Pair {
  A a;
  B b;
};

struct Point {
  int x = 5;  // not run on shared variables
  int y = 6;
};

template <class T, int N>
__device__ T sum(T mine) {
  __shared__ T parts[N];
  parts[threadIdx.x] = mine;
  __syncthreads();
  T total = 0;
  for (int i = 0; i < N; ++i) total += parts[i];
  __syncthreads();
  return total;
}

template <class T>
struct SharedMemory {
  __device__ operator T*() {
    extern __shared__ int raw_memory[];
    return reinterpret_cast<T*>(raw_memory);
  }
};

template <class T>
__global__ void forms(T* out) {
  __shared__ __align__(16) T a[32], b[4][9];
  alignas(64) __shared__ char bytes[3];
  static __shared__ Pair<T, int> pair, pairs[3];
  volatile __shared__ int v;
  __shared__ struct {
    int n;
    T t[2];
  } anonymous;
  __shared__ union {
    int i;
    float f;
  } overlay;
  __shared__ T(*pointer)[9];
  T __shared__ late;
  __shared__ Point point;
  extern __shared__ double dynamic[];
  const int i = threadIdx.x;
  a[i] = static_cast<T>(i);
  if (i == 0) {
    b[3][8] = 11;
    pair.a = 12;
    pairs[2].b = 13;
    v = 14;
    anonymous.t[1] = 15;
    overlay.f = 1.0f;
    pointer = b + 3 - 3;
    late = 16;
    bytes[2] = 17;
  }
  __syncthreads();
  auto by_copy = [=](int k) { return a[k] + late; };
  auto without = [](int k) { return b[3][k]; };
  if (i == 1) {
    out[0] = a[31];
    out[1] = pointer[3][8];
    out[2] = pair.a + pairs[2].b;
    out[3] = v + anonymous.t[1];
    out[4] = overlay.i == 0x3f800000 ? 1 : 0;
    out[5] = by_copy(3);
    out[6] = without(8);
    out[7] = (reinterpret_cast<size_t>(bytes) % 64 == 0) &&
             (reinterpret_cast<size_t>(a) % 16 == 0) &&
             (reinterpret_cast<size_t>(dynamic) % 1024 == 0);
    out[8] = point.x;  // stale memory reads as all ones
    out[9] = bytes[2];
  }
  T total = sum<T, 32>(static_cast<T>(i));
  T other = sum<T, 32>(1);
  if (i == 0) {
    out[10] = total;
    out[11] = other;
  }
  T* s = SharedMemory<T>();
  s[i] = static_cast<T>(i * 2);
  file_scope_static[i] = i * 3;
  __syncthreads();
  if (i == 2) {
    out[12] = s[31];
    out[13] = static_cast<T>(file_scope_static[31]);
    out[14] = reinterpret_cast<T*>(file_scope_dynamic)[30];
    out[15] = static_cast<T>(sizeof(a) / sizeof(a[0]));
  }
}

__global__ void stale(int* out) {
  __shared__ int x[4];
  if (blockIdx.x == 0 || x[1] == -1) atomicAdd(out, 1);
  x[1] = 3;
}

__global__ void too_much() {
  __shared__ char a[40000];
  __shared__ char b[10000];
  a[0] = b[0] = 1;
}

__global__ void offsets(size_t* out) {
  __shared__ int x[4];
  out[0] = __cvta_generic_to_shared(&x[1]) - __cvta_generic_to_shared(&x[0]);
  out[1] = __isShared(x) * 100 + __isShared(out) * 10 + __isGlobal(out);
}

int main() {
  setenv("SIMT_SHARED_FILL", "255", 1);  // what nobody wrote is to show
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  forms<int><<<2, 32, 32 * 8>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 16; ++i) printf("%d%c", out[i], i == 15 ? '\n' : ' ');
  double* d;
  cudaMallocManaged(&d, 64 * sizeof(double));
  forms<double><<<1, 32, 32 * 8>>>(d);
  cudaDeviceSynchronize();
  for (int i = 0; i < 16; ++i) printf("%g%c", d[i], i == 15 ? '\n' : ' ');
  out[0] = 0;
  stale<<<64, 1>>>(out);
  cudaDeviceSynchronize();
  printf("clean %d\n", out[0]);
  too_much<<<1, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  size_t* z;
  cudaMallocManaged(&z, 16);
  offsets<<<1, 1>>>(z);
  cudaDeviceSynchronize();
  printf("%zu %zu\n", z[0], z[1]);
}
