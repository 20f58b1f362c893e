// A lambda for both sides with a parameter of any type.
// options: --extended-lambda
template <class F>
__global__ void run(F f, int* data) {
  *data = f(*data);
}
int main() {
  // error: a __host__ __device__ lambda cannot be generic
  auto twice = [] __host__ __device__(auto x) { return 2 * x; };
  run<<<1, 1>>>(twice, nullptr);
}
