// The struct was copied to the device, the array that it points to was not.
#include <vector>

struct Vector {
  const int* data;
  int size;
};

__global__ void sum(const Vector* v, int* out) {
  int total = 0;
  for (int i = 0; i < v->size; ++i) total += v->data[i];
  *out = total;
}

int main() {
  std::vector<int> values(100, 1);
  Vector host{values.data(), 100}, *v;
  int* out;
  cudaMalloc(&v, sizeof(Vector));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(v, &host, sizeof host, cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(v, out);
  cudaDeviceSynchronize();
  cudaFree(v);
  cudaFree(out);
}
