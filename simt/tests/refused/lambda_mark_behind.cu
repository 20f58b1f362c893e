// The mark of a lambda stands before its parameters.
// options: --extended-lambda
template <class F>
__global__ void k(int* out, F f) {
  *out = f(1);
}
int main() {
  // error: __device__ and __host__ of a lambda stand before its parameters
  k<<<1, 1>>>(nullptr, [](int i) __device__ { return i; });
}
