// On kernels, on either side of the type.
__global__ void __launch_bounds__(128) a(int* out) {
  *out = 1;
}
__global__ __launch_bounds__(128, 2) void b(int* out) {
  *out = 1;
}
template <int n>
__global__ __launch_bounds__(n) void c(int* out) {
  *out = n;
}
int main() {
  c<32><<<1, 32>>>(nullptr);
}
