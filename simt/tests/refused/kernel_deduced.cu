// A kernel whose return type is deduced.
__global__ auto k(int* data) {  // error: kernel 'k' has a return type that is deduced
  *data = 1;
}
