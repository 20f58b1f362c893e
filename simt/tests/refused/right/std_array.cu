// An array.
__global__ void k(int* data) {
  int a[3] = {1, 2, 3};
  data[0] = a[data[0]];
}
