// Two angles are a shift.
__global__ void k(int* out) {
  *out = 1;
}
int main() {
  k << 1, 1 >> (nullptr);  // error: a launch of kernel 'k' has three '<' and three '>'
}
