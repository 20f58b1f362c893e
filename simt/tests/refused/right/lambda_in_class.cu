// With the option.
// options: --extended-lambda
template <class F>
__global__ void k(int* out, F f) {
  out[0] = f();
}
struct Runner {
  int values[4];
  void run(int* out) {
    k<<<1, 1>>>(out, [] __device__() { return 1; });
  }
  [[nodiscard]] __device__ int plain() const { return values[0]; }
  __device__ int operator[](int i) const {
    return [](int j) { return j; }(values[i]);
  }
};
