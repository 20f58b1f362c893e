// Memory that holds nothing yet is filled and copied to by constructors: a type's own operator= never sees it.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/uninitialized_copy.h>
#include <thrust/uninitialized_fill.h>

#include <cstdio>
#include <vector>

// An assignment adds up what it replaces, as a reference count would; a copy begins anew.
struct Counted {
  int value = 0, assigned = 0;
  Counted() = default;
  __host__ __device__ explicit Counted(int v) : value(v) {}
  Counted(const Counted&) = default;
  __host__ __device__ Counted& operator=(const Counted& other) {
    value = other.value;
    ++assigned;
    return *this;
  }
};

// The sums of an array on the device, copied byte by byte.
void tell(const char* what, const Counted* device, int count) {
  std::vector<Counted> all(count);
  cudaMemcpy(static_cast<void*>(all.data()), device, count * sizeof(Counted), cudaMemcpyDefault);
  int values = 0, assigned = 0;
  for (const Counted& c : all) values += c.value, assigned += c.assigned;
  std::printf("%s: values %d, assigned %d\n", what, values, assigned);
}
void tell(const char* what, const thrust::device_vector<Counted>& v) {
  tell(what, thrust::raw_pointer_cast(v.data()), static_cast<int>(v.size()));
}

int main() {
  const Counted seven(7);
  thrust::device_vector<Counted> filled(100, seven);
  tell("filled", filled);
  Counted* raw = nullptr;
  if (cudaMalloc(&raw, 20 * sizeof(Counted)) != cudaSuccess) return 1;
  const thrust::device_ptr<Counted> p(raw);
  thrust::uninitialized_fill_n(p, 5, seven);
  thrust::uninitialized_fill(thrust::device, raw + 5, raw + 10, seven);
  thrust::uninitialized_copy(filled.begin(), filled.begin() + 5, p + 10);
  thrust::uninitialized_copy_n(thrust::device, raw, 5, raw + 15);
  tell("in memory", raw, 20);
  thrust::copy(filled.begin(), filled.begin() + 20, p);
  tell("assigned to", raw, 20);
  cudaFree(raw);
}
