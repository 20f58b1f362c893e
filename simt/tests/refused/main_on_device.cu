// main is marked __device__.
__device__ int main() {  // error: main runs on the host
  return 0;
}
