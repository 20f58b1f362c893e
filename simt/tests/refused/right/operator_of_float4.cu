// A pointer plus a number is not that operator.
inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__global__ void k(float4* v, int n) {
  float4* end = v + n;
  end[-1].x = v[0].x + v[1].x;
}
