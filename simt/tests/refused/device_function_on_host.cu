// main calls a device function.
__device__ int square(int x) {
  return x * x;
}
int main() {
  return square(2);  // error: device function 'square' is called from host function 'main'
}
