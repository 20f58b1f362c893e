// A variable of another file needs separate compilation.
extern __device__ int counter;  // warning: declared extern: without the option -rdc=true
__global__ void k() {
  atomicAdd(&counter, 1);
}
