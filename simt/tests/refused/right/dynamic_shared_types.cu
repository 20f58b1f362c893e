// Two names, or one type however it is written, or two namespaces.
__global__ void floats(float* data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[threadIdx.x];
}
__global__ void more_floats(float* data) {
  extern __shared__ float tile[];
  data[threadIdx.x] = tile[threadIdx.x];
}
__global__ void ints(unsigned* data) {
  extern __shared__ unsigned counts[];
  counts[threadIdx.x] = data[threadIdx.x];
}
__global__ void more_ints(unsigned int* data) {
  extern __shared__ unsigned int counts[];
  data[threadIdx.x] = counts[threadIdx.x];
}
namespace other {
__global__ void doubles(double* data) {
  extern __shared__ double tile[];
  tile[threadIdx.x] = data[threadIdx.x];
}
}  // namespace other
