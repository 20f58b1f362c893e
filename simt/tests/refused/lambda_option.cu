// A __device__ lambda needs an option.
template <class F>
__global__ void k(F f) {
  f();
}
int main() {
  k<<<1, 1>>>([] __device__() {});  // error: needs the option --extended-lambda
}
