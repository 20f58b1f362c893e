// One that the kernel does not call; one that it may.
struct Twice {
  float factor = 2;
  float operator()(float x) const { return factor * x; }
};
struct Half {
  __host__ __device__ float operator()(float x) const { return x / 2; }
};
template <class Op>
__global__ void read(float* out, Op op) {
  *out = op.factor;
}
template <class Op>
__global__ void apply(float* out, Op op) {
  *out = op(*out);
}
int main() {
  read<<<1, 1>>>(nullptr, Twice{});
  apply<<<1, 1>>>(nullptr, Half());
  Half half;
  apply<<<1, 1>>>(nullptr, half);
}
