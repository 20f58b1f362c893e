// Marked; others of the same symbol may be the host's.
struct Vec {
  float x, y;
  __device__ Vec operator-(Vec b) const { return {x - b.x, y - b.y}; }
};
struct Big {
  double x;
};
Big operator+(Big a, Big b) {
  return {a.x + b.x};
}
__host__ __device__ Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y};
}
__host__ __device__ float4 operator*(float4 a, float s) {
  return make_float4(a.x * s, a.y * s, a.z * s, a.w * s);
}
__global__ void k(Vec* v, float4* f) {
  Vec a = v[0], b = v[1];
  v[2] = a + b - v[3];
  f[0] = f[1] * 2.0f;
}
