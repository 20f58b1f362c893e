// An owner is handed on by value: its copy frees the memory, then it does so again.
struct Buffer {
  int* data = nullptr;
  explicit Buffer(int n) { cudaMalloc(&data, n * sizeof(int)); }
  ~Buffer() { cudaFree(data); }
};

__global__ void clear(int* data) {
  data[threadIdx.x] = 0;
}

void run(Buffer buffer) {
  clear<<<1, 64>>>(buffer.data);
  cudaDeviceSynchronize();
}

int main() {
  Buffer buffer(64);
  run(buffer);
}
