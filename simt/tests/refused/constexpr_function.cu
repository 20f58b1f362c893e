// A constexpr function needs an option.
constexpr int tile(int n) {
  return n * 32;
}
__global__ void k(int* out) {
  *out = tile(*out);  // error: constexpr host function 'tile' is called from kernel 'k'
}
