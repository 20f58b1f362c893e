// inline on a kernel: nvcc warns.
inline __global__ void k(int* out) {  // warning: inline is ignored for kernel 'k'
  *out = 1;
}
