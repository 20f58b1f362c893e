// A device function may call itself; a kernel may launch one with -rdc=true.
// options: -rdc=true
__device__ int sum(int n) {
  return n > 0 ? n + sum(n - 1) : 0;
}
__global__ void down(int n, int* out) {
  *out = sum(n);
  if (n > 0) down<<<1, 1>>>(n - 1, out);
}
