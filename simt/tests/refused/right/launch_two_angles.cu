// Three are a launch; two shift numbers.
__global__ void k(int* out) {
  *out = 1 << 2;
}
int main() {
  k<<<1 << 1, 1>>>(nullptr);
}
