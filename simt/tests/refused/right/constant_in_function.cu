// At file scope, in a namespace, in a class.
__constant__ int weights[3] = {1, 2, 3};
namespace filter {
__constant__ float gain = 2;
}
__global__ void k(float* out) {
  *out = weights[0] * filter::gain;
}
