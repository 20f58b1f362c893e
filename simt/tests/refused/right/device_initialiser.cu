// By constants, and by a constexpr function.
constexpr int read_size() {
  return 4;
}
__device__ int size = 2 * 4 + sizeof(int);
__device__ int known = read_size();
__constant__ float weights[2] = {1.0f, 2.0f};
__global__ void k(int* out) {
  *out = size + known + weights[0];
}
