// Votes, matches, reductions, and which lanes are active where.
#include <cstdio>

__global__ void votes(unsigned* out) {
  const unsigned i = threadIdx.x;
  const unsigned full = 0xffffffffu;
  unsigned r[12];
  r[0] = __ballot_sync(full, i % 2);
  r[1] = __all_sync(full, i < 32) * 10 + __all_sync(full, i < 31);
  r[2] = __any_sync(full, i == 9) * 10 + __any_sync(full, i == 99);
  r[3] = __match_any_sync(full, i / 8);
  int same;
  r[4] = __match_all_sync(full, 7ull, &same);
  r[4] += same;
  r[5] = __match_all_sync(full, i, &same) + same;
  r[6] = __reduce_add_sync(full, i);
  r[7] = static_cast<unsigned>(__reduce_min_sync(full, static_cast<int>(i) - 5));
  r[8] = __reduce_max_sync(full, i);
  r[9] = __reduce_xor_sync(full, 1u << i) + __reduce_and_sync(full, i | 8u);
  r[10] = __reduce_or_sync(full, i & 5u);
  r[11] = __uni_sync(full, i < 40);
  __syncwarp();
  if (i == 9) {
    for (int k = 0; k < 12; ++k) out[k] = r[k];
  }
}

__global__ void divergent(unsigned* out) {
  const unsigned i = threadIdx.x;
  unsigned m;
  if (i % 4 == 0) {
    m = __activemask();
    m += __popc(__ballot_sync(m, 1)) == 8 ? 0 : 1;
  } else if (i < 20) {
    m = __activemask();
  } else {
    m = 0;
  }
  out[i] = m;
  unsigned again = __activemask();
  if (again != 0xffffffffu) out[i] = again;
}

// Lanes that leave a loop at different times: each trip has fewer.
__global__ void loop(unsigned* out) {
  const unsigned i = threadIdx.x;
  for (unsigned k = 0; k <= i; ++k) {
    unsigned m = __activemask();
    if (k == i) out[i] = m;
  }
}

__global__ void halves(int* out) {
  // Both sides of the branch shuffle at the same time with their own masks.
  const unsigned i = threadIdx.x;
  int v = static_cast<int>(i);
  if (i < 16) {
    for (int d = 8; d > 0; d /= 2) v += __shfl_xor_sync(0x0000ffffu, v, d);
  } else {
    for (int d = 8; d > 0; d /= 2) v = max(v, __shfl_xor_sync(0xffff0000u, v, d));
  }
  out[i] = v;
}

int main() {
  unsigned* out;
  cudaMallocManaged(&out, 256);
  votes<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%08x %u %u %08x %08x %u %u %d %u %x %u %u\n", out[0], out[1], out[2], out[3], out[4],
         out[5], out[6], static_cast<int>(out[7]), out[8], out[9], out[10], out[11]);
  divergent<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%08x %08x %08x\n", out[4], out[5], out[21]);
  loop<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%08x %08x %08x\n", out[0], out[5], out[31]);
  halves<<<1, 32>>>(reinterpret_cast<int*>(out));
  cudaDeviceSynchronize();
  printf("%d %d\n", out[3], out[20]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}
