// static.
static __global__ void k(int* out) {
  *out = 1;
}
int main() {
  k<<<1, 1>>>(nullptr);
}
