// A template's pack is known.
template <class... T>
__global__ void k(int* out, T... values) {
  *out = (values + ... + 0);
}
int main() {
  k<<<1, 1>>>((int*)nullptr, 1, 2);
}
