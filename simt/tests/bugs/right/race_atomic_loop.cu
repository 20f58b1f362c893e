// Loops around atomicCAS as the programming guide writes them: the first read is a plain one, and may end the loop.
__device__ void largest(int* best, int value) {
  int old = *best;
  while (value > old) {
    const int assumed = old;
    old = atomicCAS(best, assumed, value);
    if (old == assumed) break;
  }
}

// One byte of a word.
__device__ void largest_byte(unsigned char* best, unsigned value) {
  auto* word = reinterpret_cast<unsigned*>(reinterpret_cast<size_t>(best) & ~size_t{3});
  const unsigned shift = 8 * (reinterpret_cast<size_t>(best) & 3);
  unsigned old = *word;
  while (value > (old >> shift & 255u)) {
    const unsigned assumed = old;
    old = atomicCAS(word, assumed, (assumed & ~(255u << shift)) | value << shift);
    if (old == assumed) break;
  }
}

__global__ void run(const int* in, int* best, unsigned char* bytes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  largest(best, in[i]);
  largest_byte(bytes + i % 8, in[i]);
}

int main() {
  const int n = 128;
  int *in, *best;
  unsigned char* bytes;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&best, sizeof(int));
  cudaMallocManaged(&bytes, 8);
  *best = 0;
  for (int i = 0; i < 8; ++i) bytes[i] = 0;
  for (int i = 0; i < n; ++i) in[i] = i * 37 % n;
  run<<<2, n / 2>>>(in, best, bytes);
  cudaDeviceSynchronize();
  const bool right = *best == n - 1 && bytes[(n - 1) * 45 % n % 8] == n - 1;
  cudaFree(in);
  cudaFree(best);
  cudaFree(bytes);
  return right ? 0 : 1;
}
