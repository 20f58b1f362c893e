// Ranges that are too long for Thrust's and CUB's algorithms: the call is to blame
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <cub/cub.cuh>

struct Twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};

// Every one in a fresh device: a fault is the end of a CUDA context.
template <class Run>
void try_out(const Run& run) {
  float* numbers;
  cudaMalloc(&numbers, 1000 * sizeof(float));
  cudaMemset(numbers, 0, 1000 * sizeof(float));
  try {
    run(numbers);
  } catch (const thrust::system_error&) {
  }
  cudaDeviceSynchronize();
  cudaDeviceReset();
}

float sum_of(const float* numbers, int n) {
  return thrust::reduce(thrust::device, numbers, numbers + n);
}

int main() {
  try_out([](float* a) { sum_of(a, 1001); });
  try_out([](float* a) { thrust::sort(thrust::device, a, a + 1200); });
  try_out([](float* a) { thrust::fill(thrust::device, a, a + 1001, 1.0f); });
  try_out([](float* a) { thrust::inclusive_scan(thrust::device, a, a + 1001, a); });
  try_out([](float* a) {
    std::size_t bytes = 0;
    float* sum;
    cudaMalloc(&sum, sizeof(float));
    cub::DeviceReduce::Sum(nullptr, bytes, a, sum, 1100);
    void* storage;
    cudaMalloc(&storage, bytes);
    cub::DeviceReduce::Sum(storage, bytes, a, sum, 1100);
  });
  try_out([](float*) {
    float* nothing;
    cudaMalloc(&nothing, 100 * sizeof(float));
    thrust::reduce(thrust::device, nothing, nothing + 100);
  });
  thrust::device_vector<float> all(1000, 1.0f), half(500);
  try {
    thrust::copy(all.begin(), all.end(), half.begin());
  } catch (const thrust::system_error&) {
  }
  // What nobody catches ends the program: the report comes first.
  thrust::transform(all.begin(), all.end(), half.begin(), Twice());
}
