// The copy counts doubles, the array holds floats.
#include <vector>

int main() {
  const int n = 1000;
  std::vector<double> host(n);
  float* a;
  cudaMalloc(&a, n * sizeof(float));
  cudaMemcpy(a, host.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  cudaFree(a);
}
