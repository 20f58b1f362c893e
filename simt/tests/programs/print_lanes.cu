// The lanes of a warp print line by line, as they run on a GPU: a table's head, row and end, loops that lanes leave
// at different times, values of shuffles; locks keep the order in which they let lanes in.
#include <cstdio>

__device__ int lock;

__global__ void table() {
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) printf("threads:");
  printf(" %d", t);
  if (t == 0) printf("\n");
  if (t == 0) printf("first\n");
  if (t == 1) printf("second\n");
  if (t == 0) printf("third\n");
  for (int distance = 1; distance < 8; distance *= 2) {
    const int other = __shfl_xor_sync(0xff, t, distance);
    if (t == 0) printf("over %d:", distance);
    printf(" %d", other);
    if (t == 0) printf("\n");
  }
}

__global__ void loops() {
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i <= t; ++i) {
    printf("%d.%d ", t, i);
    if (t == 3) printf("(last) ");
  }
  printf("end ");
  if (t == 3) printf("\n");
}

__global__ void one_at_a_time() {
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) != 0) continue;
    printf("in %d, ", threadIdx.x);
    printf("out %d\n", threadIdx.x);
    atomicExch(&lock, 0);
    done = true;
  }
}

int main() {
  table<<<1, 8>>>();
  loops<<<1, 4>>>();
  one_at_a_time<<<1, 4>>>();
  cudaDeviceSynchronize();
}
