// One in a host function is not.
int h() {
  return 1;
}
__device__ int d() {
  return 1;
}
__global__ void k(int* out) {
  auto add = [&](int x) { return x + d(); };
  *out = add(1);
}
int main() {
  auto add = [&](int x) { return x + h(); };
  return add(1);
}
