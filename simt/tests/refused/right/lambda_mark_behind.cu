// Before them.
// options: --extended-lambda
template <class F>
__global__ void k(int* out, F f) {
  *out = f(1);
}
int main() {
  k<<<1, 1>>>(nullptr, [] __device__(int i) mutable { return i; });
}
