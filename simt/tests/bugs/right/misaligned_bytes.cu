// A record's length is put together from its bytes.
__global__ void lengths(const unsigned char* records, int* out) {
  const unsigned char* record = records + 5 * threadIdx.x;
  const unsigned char* b = record + 1;
  out[threadIdx.x] = b[0] | b[1] << 8 | b[2] << 16 | b[3] << 24;
}

int main() {
  unsigned char* records;
  int* out;
  cudaMalloc(&records, 32 * 5);
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(records, 0, 32 * 5);
  lengths<<<1, 32>>>(records, out);
  cudaDeviceSynchronize();
  cudaFree(records);
  cudaFree(out);
}
