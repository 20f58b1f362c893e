// What both sides have; a member and a local of such a name.
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
struct Generator {
  __device__ int rand() { return 4; }
};
__global__ void k(int* out) {
  int* p = (int*)malloc(sizeof(int));
  memcpy(p, out, sizeof(int));
  memset(p, 0, sizeof(int));
  assert(p != nullptr);
  printf("%d %f\n", *p, sqrtf(powf(2.0f, 3.0f)) + fabs(-1.0));
  clock();
  free(p);
  int* q = new int[2];
  delete[] q;
  Generator g;
  auto time = [](int x) { return x; };
  *out = g.rand() + time(1);
}
int main() {
  return rand() + time(nullptr);
}
