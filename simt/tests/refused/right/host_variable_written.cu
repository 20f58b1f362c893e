// __device__ and __managed__ ones; a local that hides it.
int total;
__device__ int device_total;
__managed__ int managed_total;
__device__ __managed__ float another;
__global__ void k(const int* in) {
  int total = in[0];
  device_total = managed_total = total;
  another = 1;
}
int main() {
  total = 1;
  managed_total = 2;
  another = total;
}
