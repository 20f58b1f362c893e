// Inline PTX that is not known is refused by its text.
__global__ void k(int* out) {
  int r;
  asm("vabsdiff8.u32.u32.u32 %0, %1, %1, %1;" : "=r"(r) : "r"(5));
  asm("add.rn.sat.s32 %0, %1, %1;" : "=r"(r) : "r"(5));
  *out = r;
}
int main() {}
