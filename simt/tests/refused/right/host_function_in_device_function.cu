// nvcc says nothing about static, inline and member functions that nobody calls.
float helper(float x) {
  return x + 1;
}
static __device__ float f(float x) {
  return helper(x);
}
struct S {
  __device__ float g(float x) { return helper(x); }
};
__device__ float h(float x) {
  return x;
}
