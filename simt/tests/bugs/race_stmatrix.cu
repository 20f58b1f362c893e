// stmatrix writes the rows of a warp's tile, and the lanes read them as if the instruction were a barrier.
#include <cstdint>

__global__ void transpose(unsigned* out) {
  __shared__ alignas(16) unsigned tile[32];
  const unsigned lane = threadIdx.x;
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(tile + lane % 8 * 4));
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row), "r"(lane)
               : "memory");
  out[lane] = tile[lane];
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 32 * sizeof(unsigned));
  transpose<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
