// By a constexpr function it is known.
constexpr int read_size() {
  return 4;
}
const int size = read_size();
__global__ void k(int* out) {
  *out = size;
}
