// Tables of device functions.
typedef float (*Op)(float);
__device__ float a(float x) {
  return x;
}
__device__ float b(float x) {
  return -x;
}
__device__ Op table[] = {a, b};
__constant__ Op constant_table[2] = {a, b};
template <class F>
__device__ float call(F f, float x) {
  return f(x);
}
__global__ void k(float* out, int i) {
  float (*f)(float) = a;
  *out = f(*out) + table[i](1) + constant_table[i](2) + call(b, 1);
}
