// A template that is used calls a function of the host.
int offset(int i) {
  return i + 1;
}
template <class T>
__global__ void k(T* out) {
  out[0] = offset(0);  // error: host function 'offset' is called from kernel 'k'
}
int main() {
  k<float><<<1, 1>>>(nullptr);
}
