// Kernels whose parameters are references, to managed memory: the kernel changes the object itself, whether its types are
// written, deduced from the arguments, or both, and an object that cannot be copied is passed as well.
#include <cstdio>
#include <new>
struct Counter {
  int value = 0;
  Counter() = default;
  Counter(const Counter&) = delete;
  __device__ void add(int n) { value += n; }
};
__global__ void typed(Counter& c, int n) {
  c.add(n);
}
template <class T>
__global__ void deduced(T& c, int n) {
  c.add(n);
}
template <int N, class T>
__global__ void partly(int n, T& c) {
  c.add(N * n);
}
template <class T, class U>
__global__ void two(T& from, U& to, const T& plus) {
  to = from + plus;
  from = 0;
}
template <class T, class... A>
__global__ void pack(T& c, A... a) {
  c.add((a + ...));
}
template <class T>
__global__ void values(T c, T* out) {
  c += 1;
  *out = c;
}
template <class T, class U>
void helper(T& object, U step) {
  deduced<<<1, 1>>>(object, step);
  partly<2><<<1, 1>>>(step, object);
}
int main() {
  void* memory;
  cudaMallocManaged(&memory, sizeof(Counter));
  Counter& counter = *new (memory) Counter;
  int* pair;
  cudaMallocManaged(&pair, 2 * sizeof(int));
  pair[0] = 40, pair[1] = 0;
  typed<<<1, 1>>>(counter, 1);
  deduced<<<1, 1>>>(counter, 10);
  deduced<Counter><<<1, 1>>>(counter, 100);
  partly<10><<<1, 1>>>(100, counter);
  pack<<<1, 1>>>(counter, 4000, 6000);
  helper(*&counter, 100000);
  two<<<1, 1>>>(pair[0], pair[1], 2);
  cudaDeviceSynchronize();
  printf("%d, %d %d\n", counter.value, pair[0], pair[1]);
  values<<<1, 1>>>(pair[1], pair);
  printf("%s %d %d\n", cudaGetErrorString(cudaDeviceSynchronize()), pair[0], pair[1]);
}
