// A template for both sides may be used on one of them; and each side may have its part.
int helper(int x) {
  return x;
}
template <class T>
__host__ __device__ T f(T x) {
  return x;
}
__host__ __device__ int g(int x) {
#ifdef __CUDA_ARCH__
  return x;
#else
  return helper(x);
#endif
}
int main() {
  return f(1) + g(1);
}
