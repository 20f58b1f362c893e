// Cubemaps and layers: each texel by the direction that meets it, surfaces of layers, gathered texels.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

constexpr int width = 8, layers = 2;

// The direction through (u, v) of a face, as the programming guide has it.
__device__ float3 direction(int face, float u, float v) {
  switch (face) {
    case 0:
      return make_float3(1, -v, -u);
    case 1:
      return make_float3(-1, -v, u);
    case 2:
      return make_float3(u, 1, v);
    case 3:
      return make_float3(u, -1, -v);
    case 4:
      return make_float3(u, -v, 1);
    default:
      return make_float3(-u, -v, -1);
  }
}

__global__ void read_cube(cudaTextureObject_t one, cudaTextureObject_t many, int* wrong) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x, layer = blockIdx.y;
  const float u = (x + 0.5f) / width * 2 - 1, v = (y + 0.5f) / width * 2 - 1;
  const float3 d = direction(face, u, v);
  const float place = static_cast<float>((face * width + y) * width + x);
  // Its length does not matter.
  if (texCubemap<float>(one, 3 * d.x, 3 * d.y, 3 * d.z) != place) atomicAdd(wrong, 1);
  const float want = place + layer * 6 * width * width;
  if (texCubemapLayered<float>(many, d.x, d.y, d.z, layer) != want) atomicAdd(wrong + 1, 1);
}

__global__ void write_layers(cudaSurfaceObject_t surface, int* wrong) {
  const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
  const float value = layer * 1000.0f + y * 10 + x;
  surf2DLayeredwrite(value, surface, x * 4, y, layer);
  if (surf2DLayeredread<float>(surface, x * 4, y, layer) != value) atomicAdd(wrong + 2, 1);
}

__global__ void read_layers(cudaTextureObject_t texture, int* wrong) {
  const int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
  const float value = layer * 1000.0f + y * 10 + x;
  if (tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, layer) != value) atomicAdd(wrong + 3, 1);
  float half_way;
  tex2DLayered(&half_way, texture, x + 1.0f, y + 0.5f, layer);
  if (x + 1 < width && half_way != value + 0.5f) atomicAdd(wrong + 4, 1);
}

__global__ void gathered(cudaTextureObject_t texture) {
  const float4 g = tex2Dgather<float4>(texture, 2.0f, 3.0f);
  printf("gathered %g %g %g %g, %g\n", g.x, g.y, g.z, g.w, tex2DLod<float>(texture, 2, 3, 0));
}

cudaArray_t array_of(int depth, unsigned flags) {
  std::vector<float> data(width * width * (depth == 0 ? 1 : depth));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(width, width, depth), flags);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(data.data(), width * sizeof(float), width, width);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, width, depth == 0 ? 1 : depth);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  return array;
}

cudaTextureObject_t texture_of(cudaArray_t array, bool normalized, cudaTextureFilterMode filter) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  how.filterMode = filter;
  how.normalizedCoords = normalized;
  for (cudaTextureAddressMode& mode : how.addressMode) mode = cudaAddressModeClamp;
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  return texture;
}

int main() {
  int* wrong;
  cudaMallocManaged(&wrong, 8 * sizeof(int));
  cudaMemset(wrong, 0, 8 * sizeof(int));
  const cudaArray_t one = array_of(6, cudaArrayCubemap);
  const cudaArray_t many = array_of(6 * layers, cudaArrayCubemap | cudaArrayLayered);
  read_cube<<<dim3(6, layers), dim3(width, width)>>>(texture_of(one, true, cudaFilterModeLinear),
                                                     texture_of(many, true, cudaFilterModePoint),
                                                     wrong);
  const cudaArray_t stack = array_of(layers, cudaArrayLayered | cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = stack;
  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &resource);
  write_layers<<<layers, dim3(width, width)>>>(surface, wrong);
  read_layers<<<layers, dim3(width, width)>>>(texture_of(stack, false, cudaFilterModeLinear),
                                              wrong);
  cudaDeviceSynchronize();
  printf("wrong: cubemap %d, layered cubemap %d, surface %d, texture %d, between %d\n", wrong[0],
         wrong[1], wrong[2], wrong[3], wrong[4]);
  gathered<<<1, 1>>>(texture_of(array_of(0, cudaArrayTextureGather), false, cudaFilterModePoint));
  return cudaDeviceSynchronize() != cudaSuccess;
}
