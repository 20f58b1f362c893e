// A kernel calls a member without __device__.
struct Matrix {
  float* data;
  int width;
  int index(int row, int col) const { return row * width + col; }
};
__global__ void k(Matrix m) {
  m.data[m.index(0, 1)] = 1;  // error: host function 'index' is called from kernel 'k'
}
