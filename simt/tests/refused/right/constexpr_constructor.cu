// Without one the class is an aggregate; defaulted members are on both sides.
struct Range {
  int begin, end;
  Range() = default;
  Range(const Range&) = default;
  __host__ __device__ constexpr Range(int b, int e) : begin(b), end(e) {}
};
struct Pair {
  int a = 1, b = 2;
};
__global__ void k(int* out) {
  Range r, s(1, 2), copy = s;
  Pair p{3, 4}, q;
  *out = copy.end + p.a + q.b + Range{1, 2}.begin;
  r = s;
}
