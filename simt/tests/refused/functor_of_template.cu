// A kernel template calls a functor without __device__.
struct Twice {
  float operator()(float x) const { return 2 * x; }
};
template <class Op>
__global__ void apply(float* out, Op op) {
  *out = op(*out);  // error: host function 'operator()' of 'Twice' is called from kernel 'apply'
}
int main() {
  apply<<<1, 1>>>(nullptr, Twice{});
}
