// A functor of Thrust's that looks one element too far.
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdlib>

struct Difference {
  const int* in;
  int* out;
  __device__ void operator()(int i) const { out[i] = in[i + 1] - in[i]; }
};

int main() {
  thrust::device_vector<int> in(100, 1), out(100);
  const Difference difference{thrust::raw_pointer_cast(in.data()),
                              thrust::raw_pointer_cast(out.data())};
  try {
    thrust::for_each(thrust::device, thrust::counting_iterator<int>(0),
                     thrust::counting_iterator<int>(100), difference);
  } catch (const thrust::system_error&) {
    std::exit(1);  // the vectors cannot be freed any more
  }
}
