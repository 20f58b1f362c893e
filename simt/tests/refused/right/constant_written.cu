// A pointer in constant memory to what can be written.
__constant__ float* where;
__constant__ float scale;
__global__ void k() {
  where[0] = scale;
  *where = scale == 1 ? 2 : 3;
}
