// Marked; copies need none, and what a kernel gets was made on the host.
struct Vec {
  float x, y;
  __host__ __device__ Vec(float a, float b) : x(a), y(b) {}
};
struct Given {
  float x;
  explicit Given(float a) : x(a) {}
};
__global__ void k(float* out, Given g) {
  Vec v(1, 2), w = v, u{3, 4};
  Given copy = g;
  *out = v.x + w.y + Vec(1, 2).x + u.x + copy.x;
}
int main() {
  k<<<1, 1>>>(nullptr, Given(1));
}
