// Templates of __device__, __managed__ and __constant__ variables: used by name, through pointers and references that a
// kernel gets, and copied as symbols.
#include <cstdio>
template <class T>
struct Box {
  T value;
};
template <class T>
__device__ Box<T> slot{};
template <class T>
__managed__ Box<T> both{};
template <class T, int N>
__constant__ T fixed[2] = {T(N), T(N + 1)};
template <class T>
__global__ void add(Box<T>* box, T n) {
  box->value += n;
}
template <class T>
__global__ void swap(Box<T>& a, Box<T>* b) {
  const T kept = a.value;
  a.value = b->value;
  b->value = kept;
}
__global__ void by_name(int* out) {
  slot<int>.value += fixed<int, 3>[1];
  both<float>.value += fixed<float, 5>[0];
  *out = slot<int>.value;
}
int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  both<int>.value = 10;
  both<float>.value = 0.5f;
  add<<<1, 1>>>(&both<int>, 5);
  void* address = nullptr;
  const cudaError_t error = cudaGetSymbolAddress(&address, slot<int>);
  add<<<1, 1>>>(static_cast<Box<int>*>(address), 100);
  swap<<<1, 1>>>(both<int>, static_cast<Box<int>*>(address));
  by_name<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  Box<int> copied{};
  cudaMemcpyFromSymbol(&copied, slot<int>, sizeof copied);
  printf("%d: %d %d %d %g\n", static_cast<int>(error), both<int>.value, *out, copied.value,
         static_cast<double>(both<float>.value));
  cudaFree(out);
}
