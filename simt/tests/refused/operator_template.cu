// An operator template without __device__.
template <class T>
struct Vec {
  T x, y;
};
template <class T>
Vec<T> operator+(Vec<T> a, Vec<T> b) {
  return {a.x + b.x, a.y + b.y};
}
__global__ void k(Vec<float>* v) {
  Vec<float> a = v[0], b = v[1];
  v[2] = a + b;  // error: host function 'operator+' is called from kernel 'k'
}
