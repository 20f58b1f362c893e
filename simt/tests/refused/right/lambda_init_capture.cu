// A variable is captured, or the lambda is for the device alone.
// options: --extended-lambda
template <class F>
__global__ void run(F f, int* data) {
  *data = f(*data);
}
int main(int count, char**) {
  int n = count + 1;
  auto add = [n] __host__ __device__(int x) { return x + n; };
  auto more = [m = count + 1] __device__(int x) { return x + m; };
  run<<<1, 1>>>(add, nullptr);
  run<<<1, 1>>>(more, nullptr);
}
