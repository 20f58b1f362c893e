// Constants.
template <int n>
__global__ void k(float* out) {
  constexpr int m = 2 * n;
  const int rows = 4;
  float values[n], more[m], grid[rows][n + 1];
  values[0] = more[0] = grid[0][0] = 1;
  *out = values[0] + more[0] + grid[0][0];
}
int main() {
  k<4><<<1, 1>>>(nullptr);
}
