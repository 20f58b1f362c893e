// The image's last pixel has a neighbour on the right that the image does not have.
struct Image {
  unsigned char* pixels;
  int width, height;
  __device__ unsigned char at(int x, int y) const { return pixels[y * width + x]; }
};

__global__ void edges(Image in, Image out) {
  int x = threadIdx.x, y = blockIdx.x;
  out.pixels[y * out.width + x] = in.at(x + 1, y) - in.at(x, y);
}

int main() {
  Image in{nullptr, 100, 50}, out{nullptr, 100, 50};
  cudaMalloc(&in.pixels, 5000);
  cudaMalloc(&out.pixels, 5000);
  cudaMemset(in.pixels, 9, 5000);
  edges<<<50, 100>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in.pixels);
  cudaFree(out.pixels);
}
