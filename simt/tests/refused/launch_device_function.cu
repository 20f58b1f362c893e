// A device function is launched.
__device__ void f(int* out) {
  *out = 1;
}
int main() {
  f<<<1, 1>>>(nullptr);  // error: device function 'f' is launched with <<<...>>>
}
