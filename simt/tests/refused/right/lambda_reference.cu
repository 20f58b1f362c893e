// By value; and [&] that captures nothing.
// options: --extended-lambda
template <class F>
__global__ void k(F f) {
  f();
}
int main() {
  int n = 1;
  k<<<1, 1>>>([=] __device__() { return n; });
  k<<<1, 1>>>([] __device__() {
    int m = 1;
    return m;
  });
}
