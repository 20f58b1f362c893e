#pragma once

// Not inline: nvcc keeps a device function to its file.
__device__ float from_header(float x) {
  return x * 1000;
}
