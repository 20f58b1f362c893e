// Marked, defined outside of the class, of a base.
struct Base {
  int width;
  __device__ int columns() const { return width; }
};
struct Matrix : Base {
  float* data;
  __host__ __device__ int index(int row, int col) const;
  int host_only() const { return width; }
};
__host__ __device__ int Matrix::index(int row, int col) const {
  return row * width + col;
}
__global__ void k(Matrix m, Matrix* p) {
  m.data[m.index(0, 1) + p->index(0, 0)] = m.columns() + p[0].columns();
}
int main() {
  return Matrix{}.host_only();
}
