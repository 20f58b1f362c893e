// Marked, called directly and as a template's parameter.
struct Twice {
  __host__ __device__ float operator()(float x) const { return 2 * x; }
};
template <class Op>
__global__ void apply(float* out, Op op) {
  *out = op(*out) + Op()(1.0f);
}
__global__ void k(float* out) {
  Twice twice;
  *out = twice(*out);
}
int main() {
  apply<<<1, 1>>>(nullptr, Twice{});
  return Twice{}(1);
}
