// A constructor without __device__.
struct Vec {
  float x, y;
  Vec(float a, float b) : x(a), y(b) {}
};
__global__ void k(float* out) {
  Vec v(1, 2);  // error: host constructor of 'Vec' is called from kernel 'k'
  *out = v.x;
}
