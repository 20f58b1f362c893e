// A kernel calls it.
__device__ void f(int* out) {
  *out = 1;
}
__global__ void k(int* out) {
  f(out);
}
int main() {
  k<<<1, 1>>>(nullptr);
}
