// A lambda for both sides that captures with an initialiser.
// options: --extended-lambda
template <class F>
__global__ void run(F f, int* data) {
  *data = f(*data);
}
int main(int count, char**) {
  // error: a __host__ __device__ lambda cannot capture with an initialiser, as 'n'
  auto add = [n = count + 1] __host__ __device__(int x) { return x + n; };
  run<<<1, 1>>>(add, nullptr);
}
