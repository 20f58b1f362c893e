// Marked.
struct Guard {
  int* p;
  __device__ ~Guard() { *p = 0; }
};
__global__ void k(int* out) {
  Guard g{out};
}
