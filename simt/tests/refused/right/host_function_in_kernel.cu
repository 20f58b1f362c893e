// Marked for the device, for both sides, declared before with the words, or another function of that name.
__host__ __device__ int square(int x);
int square(int x) {
  return x * x;
}
#define BOTH __host__ __device__
BOTH inline int cube(int x) {
  return x * square(x);
}
int twice(int x) {
  return 2 * x;
}
__device__ int twice(int x, int y) {
  return x + y;
}
__global__ void k(int* out) {
  auto local = [](int x) { return x + 1; };
  out[0] = square(out[0]) + cube(1) + twice(1, 2) + local(3) + sizeof(twice(1));
}
int main() {
  return square(1) + twice(1);
}
