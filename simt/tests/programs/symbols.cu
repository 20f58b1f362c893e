// Copies to and from variables of the device, in every way to name one; what is no such variable is cudaErrorInvalidSymbol,
// and what does not fit into one cudaErrorInvalidValue.
#include <cstdio>

__device__ int table[10];
__constant__ float factors[4] = {1, 2, 3, 4};
namespace inner {
static __device__ double wide;
}
struct Pair {
  int a, b;
};
__device__ Pair pair;
__managed__ int managed;
template <class T>
__device__ T typed = T(3);
__device__ char text[16];

static void show(const char* what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
}

template <class T>
void there_and_back(const char* name, T& variable) {
  int in = 1078530011, out = 0;
  cudaError_t error = cudaMemcpyToSymbol(variable, &in, sizeof in);
  if (error == cudaSuccess) error = cudaMemcpyFromSymbol(&out, variable, sizeof out);
  show(name, error == cudaSuccess && in != out ? cudaErrorUnknown : error);
}

int main() {
  there_and_back("array", table);
  there_and_back("constant", factors);
  there_and_back("static", inner::wide);
  there_and_back("struct", pair);
  there_and_back("managed", managed);
  there_and_back("template", typed<int>);
  there_and_back("text", text);
  void* address = nullptr;
  show("address", cudaGetSymbolAddress(&address, table));
  int values[16] = {};
  int* memory;
  cudaMalloc(&memory, sizeof values);
  show("a pointer to device memory", cudaMemcpyToSymbol(memory, values, sizeof values));
  show("device memory", cudaMemcpyToSymbol((const void*)memory, values, sizeof values));
  show("host memory", cudaMemcpyFromSymbol(values, values, 4));
  show("a name", cudaMemcpyToSymbol("table", values, 4));
  show("address of host memory", cudaGetSymbolAddress(&address, values));
  show("too much", cudaMemcpyToSymbol(table, values, 44));
  show("too far", cudaMemcpyToSymbol(table, values, 8, 36));
  show("offset past the end", cudaMemcpyFromSymbol(values, table, 4, 44));
  show("up to the end", cudaMemcpyFromSymbol(values, table, 8, 32));
  show("wrong direction", cudaMemcpyToSymbol(table, values, 4, 0, cudaMemcpyDeviceToHost));
  cudaFree(memory);
  return 0;
}
