// A type of function that the template knows.
template <class F>
__global__ void k(int* data, F f) {
  *data = f(1);
}
struct Twice {
  __device__ int operator()(int x) const { return 2 * x; }
};
int main() {
  k<<<1, 1>>>(nullptr, Twice());
}
