// One that is not used, or not in the part that is compiled.
int offset(int i) {
  return i + 1;
}
template <class T>
__global__ void unused(T* out) {
  out[0] = offset(0);
}
template <class T, bool on_device>
__host__ __device__ T f(T x) {
  if constexpr (on_device) {
    return x;
  } else {
    return offset(x);
  }
}
template <class T>
__global__ void k(T* out) {
  out[0] = f<T, true>(out[0]);
}
int main() {
  k<float><<<1, 1>>>(nullptr);
}
