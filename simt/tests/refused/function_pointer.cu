// A kernel uses a host function's address.
float a(float x) {
  return x;
}
__global__ void k(float* out) {
  float (*f)(float) = a;  // error: host function 'a' is used in kernel 'k'
  *out = f(*out);
}
