__global__ void k(int* out) {
  int r;
  asm("bfind.u32 %0, %1;" : "=r"(r) : "r"(5));
  *out = r;
}
int main() {}
