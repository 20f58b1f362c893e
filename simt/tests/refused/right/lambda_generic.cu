// With its type written, or for the device alone.
// options: --extended-lambda
template <class F>
__global__ void run(F f, int* data) {
  *data = f(*data);
}
int main() {
  auto twice = [] __host__ __device__(int x) { return 2 * x; };
  auto thrice = [] __device__(auto x) { return 3 * x; };
  auto typed = [] __host__ __device__(int x) -> decltype(auto) { return 2 * x; };
  run<<<1, 1>>>(twice, nullptr);
  run<<<1, 1>>>(thrice, nullptr);
  run<<<1, 1>>>(typed, nullptr);
}
