// The struct and the array that it points to were copied to the device.
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
  int* copy;
  cudaMalloc(&copy, 400);
  cudaMemcpy(copy, values.data(), 400, cudaMemcpyHostToDevice);
  host.data = copy;
  cudaMalloc(&v, sizeof(Vector));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(v, &host, sizeof host, cudaMemcpyHostToDevice);
  sum<<<1, 1>>>(v, out);
  cudaDeviceSynchronize();
  cudaFree(copy);
  cudaFree(v);
  cudaFree(out);
}
