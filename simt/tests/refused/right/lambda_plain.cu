// It may compute an argument.
__global__ void k(int n, int* out) {
  *out = n;
}
int main() {
  auto twice = [](int x) { return 2 * x; };
  k<<<1, 1>>>(twice(3), nullptr);
}
