// The usual operators of float4, without __device__.
inline float4 operator+(float4 a, float4 b) {
  return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}
__global__ void k(float4* v) {
  v[2] = v[0] + v[1];  // error: host function 'operator+' is called from kernel 'k'
}
