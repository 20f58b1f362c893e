// An operator without __device__.
struct Vec {
  float x, y;
};
Vec operator+(Vec a, Vec b) {
  return {a.x + b.x, a.y + b.y};
}
__global__ void k(Vec* v) {
  Vec a = v[0], b = v[1];
  v[2] = a + b;  // error: host function 'operator+' is called from kernel 'k'
}
