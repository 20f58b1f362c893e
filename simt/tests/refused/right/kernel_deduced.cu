// The type behind the parameters is written.
__global__ auto k(int* data) -> void {
  *data = 1;
}
