// A shift is no launch, and an overload that is a kernel may be launched.
void f(float* out) {
  *out = 1;
}
__global__ void f(int* out) {
  *out = 1 << 2 << 3;
}
int main() {
  int* p = nullptr;
  f<<<1, 1>>>(p);
}
