// Kernels that write wherever they can: each ends with an error of CUDA's, and the program goes on.
#include <cstdint>
#include <cstdio>
#include <cstring>

__global__ void write_at(std::uintptr_t address) {
  *reinterpret_cast<volatile int*>(address) = 1;
}

// Over everything that lies above a local variable: the kernel's own frames and its callers'.
__global__ void write_up(int direction) {
  volatile int here = 0;
  for (volatile int* p = &here;; p += direction) *p = 0x55555555;
}

__global__ void read_everything(const std::uintptr_t* words, int count, std::uintptr_t* out) {
  for (int i = 0; i < count; ++i) {
    out[0] += *reinterpret_cast<volatile char*>(words[i] * threadIdx.x);
  }
}

__device__ int deeper(int n) {
  volatile int room[64];
  room[n % 64] = n;
  return deeper(n + 1) + room[n % 64];
}
__global__ void recurse(int* out) {
  *out = deeper(0);
}

__global__ void big(int* out) {
  __shared__ char room[1 << 20];
  room[threadIdx.x] = 1;
  *out = room[0];
}

template <class Launch>
void run(const char* name, Launch launch) {
  launch();
  const cudaError_t refused = cudaGetLastError();
  printf("%s: %s %s\n", name, cudaGetErrorName(refused), cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  const std::uintptr_t text = reinterpret_cast<std::uintptr_t>(&std::memcpy);
  run("null", [] { write_at<<<2, 32>>>(0); });
  run("small number", [] { write_at<<<1, 1>>>(4096 * 3); });
  run("minus one", [] { write_at<<<1, 1>>>(~std::uintptr_t{0} - 7); });
  run("no address at all", [] { write_at<<<1, 1>>>(0xdeadbeefdeadbeecull); });
  run("code", [&] { write_at<<<1, 1>>>(text); });
  run("up the stack", [] { write_up<<<1, 4>>>(1); });
  run("down the stack", [] { write_up<<<1, 4>>>(-1); });
  std::uintptr_t* words;
  cudaMallocManaged(&words, 16 * sizeof(std::uintptr_t));
  for (int i = 0; i < 16; ++i) words[i] = 0x0123456789abcdefull * (i + 1);
  run("random pointers", [&] { read_everything<<<4, 64>>>(words, 16, words); });
  int* out;
  cudaMalloc(&out, sizeof(int));
  run("recursion", [&] { recurse<<<1, 1>>>(out); });
  cudaMalloc(&out, sizeof(int));
  run("a megabyte shared", [&] { big<<<1, 1>>>(out); });
  cudaMalloc(&out, sizeof(int));
  run("too many blocks", [] { write_at<<<2147483648u, 1>>>(0); });
}
