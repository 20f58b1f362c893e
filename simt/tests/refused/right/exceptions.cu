// The host may.
__global__ void k(int* out) {
  if (out == nullptr) __trap();
}
int main() {
  try {
    k<<<1, 1>>>(nullptr);
    if (cudaGetLastError() != cudaSuccess) throw 1;
  } catch (int) {
    return 1;
  }
}
