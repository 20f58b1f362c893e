// A record's length is read as an int right behind its one byte of kind.
__global__ void lengths(const unsigned char* records, int* out) {
  const unsigned char* record = records + 5 * threadIdx.x;
  out[threadIdx.x] = *reinterpret_cast<const int*>(record + 1);
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
