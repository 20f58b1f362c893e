// Copied; its address and size may be asked for.
__device__ int counter;
__device__ float table[4];
__constant__ float weights[4];
int main() {
  int value = 0;
  float host[4] = {};
  cudaMemcpyFromSymbol(&value, counter, sizeof(counter));
  cudaMemcpyToSymbol(table, host, sizeof(table));
  cudaMemcpyToSymbol(weights, host, sizeof(float) * 4, 0, cudaMemcpyHostToDevice);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, counter);
  return value;
}
