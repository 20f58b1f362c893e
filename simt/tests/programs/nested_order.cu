// A grid is complete when the grids are that its threads launched: what comes later in its stream
// waits for them, and a tail launch for everything else.
#include <cstdio>

constexpr int n = 32;

__global__ void merge(int* x, int* spare, int begin, int middle, int end) {
  int a = begin, b = middle;
  for (int i = begin; i < end; ++i) {
    const bool left = b == end || (a < middle && x[a] <= x[b]);
    spare[i] = x[left ? a++ : b++];
  }
  for (int i = begin; i < end; ++i) x[i] = spare[i];
}

__global__ void merge_sort(int* x, int* spare, int begin, int end) {
  if (end - begin < 2) return;
  const int middle = (begin + end) / 2;
  merge_sort<<<1, 1>>>(x, spare, begin, middle);
  merge_sort<<<1, 1>>>(x, spare, middle, end);
  merge<<<1, 1>>>(x, spare, begin, middle, end);
}

__global__ void leaf(int* sum) {
  atomicAdd(sum, 1);
}

__global__ void node(int* sum, int depth) {
  if (depth == 0) {
    leaf<<<1, 4>>>(sum);
    return;
  }
  for (int i = 0; i < 2; ++i) node<<<1, 1>>>(sum, depth - 1);
}

__global__ void read(const int* from, int* to) {
  *to = *from;
}

// The tail launches stand first in the text, and run last, in their order.
__global__ void root(int* sum, int* seen) {
  read<<<1, 1, 0, cudaStreamTailLaunch>>>(sum, seen);
  read<<<1, 1, 0, cudaStreamTailLaunch>>>(seen, seen + 1);
  node<<<1, 1>>>(sum, 3);
  atomicAdd(sum, 100);
}

// A grid with a tail launch is complete when that is.
__global__ void above(int* sum, int* seen) {
  root<<<1, 1>>>(sum, seen);
  read<<<1, 1>>>(seen + 1, seen + 2);
}

int main() {
  int* x;
  cudaMallocManaged(&x, 2 * n * sizeof(int));
  for (int i = 0; i < n; ++i) x[i] = i * 13 % n;
  merge_sort<<<1, 1>>>(x, x + n, 0, n);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += x[i] != i;
  printf("sorted, %d wrong\n", wrong);

  for (int i = 0; i < 4; ++i) x[i] = 0;
  root<<<1, 1>>>(x, x + 1);
  cudaDeviceSynchronize();
  printf("%d %d %d\n", x[0], x[1], x[2]);

  for (int i = 0; i < 4; ++i) x[i] = 0;
  above<<<1, 1>>>(x, x + 1);
  cudaDeviceSynchronize();
  printf("%d %d %d %d\n", x[0], x[1], x[2], x[3]);
  cudaFree(x);
}
