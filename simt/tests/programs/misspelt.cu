// CUDA's words with an underscore or a capital letter more or less, and a launch with too much.
__global void one(float* y) {
  y[0] = 1;
}
__global__ void two(float* y) {
  shared float s[4];
  syncthreads();
  y[threadidx.x] = s[0];
}
int main() {
  two<<<1, 1, 0, 0, 0>>>(nullptr);
}
