// A lambda in a kernel is device code.
int h() {
  return 1;
}
__global__ void k(int* out) {
  // error: host function 'h' is called from kernel 'k'
  auto add = [&](int x) { return x + h(); };
  *out = add(1);
}
