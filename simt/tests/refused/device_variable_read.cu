// main reads a device variable: nvcc warns.
__device__ int counter;
int main() {
  int value = counter;  // warning: device variable 'counter' is read in host function 'main'
  return value;
}
