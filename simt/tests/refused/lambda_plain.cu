// A plain lambda is passed to a kernel.
template <class F>
__global__ void k(F f, int* out) {
  *out = f(*out);
}
int main() {
  auto twice = [](int x) { return 2 * x; };
  k<<<1, 1>>>(twice, nullptr);  // error: lambda 'twice' is passed to kernel 'k'
}
