// A __device__ lambda captures by reference.
// options: --extended-lambda
template <class F>
__global__ void k(F f) {
  f();
}
int main() {
  int n = 1;
  k<<<1, 1>>>([&] __device__() { return n; });  // error: cannot capture 'n' by reference
}
