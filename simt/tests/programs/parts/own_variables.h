#pragma once

__constant__ int scale;
__device__ __managed__ int managed;
__device__ int sum = 100;
static __global__ void use() {
  sum += scale * managed;
}
