// A functor without __device__.
struct Twice {
  float operator()(float x) const { return 2 * x; }
};
__global__ void k(float* out) {
  Twice twice;
  *out = twice(*out);  // error: host function 'operator()' is called from kernel 'k'
}
