// Texture and surface objects over arrays, pitched and linear memory.
#include <vector>

#include "facts.h"

__global__ void read1d(cudaTextureObject_t t) {
  printf("%g %g %g\n", tex1Dfetch<float>(t, 0), tex1Dfetch<float>(t, 3), tex1Dfetch<float>(t, 4));
}

__global__ void read2d(cudaTextureObject_t t, Name what) {
  printf("%s:", what.text);
  const float at[5][2] = {{0.5f, 0.5f}, {1.0f, 0.5f}, {2.5f, 1.5f}, {-1.0f, 0.5f}, {1.0f, 1.0f}};
  for (int i = 0; i < 5; ++i) printf(" %g", tex2D<float>(t, at[i][0], at[i][1]));
  printf("\n");
}

__global__ void read_bytes(cudaTextureObject_t t) {
  const float4 c = tex2D<float4>(t, 0.75f, 0.5f);  // normalised: the second of two texels
  printf("%.4f %.4f %.4f %.4f\n", c.x, c.y, c.z, c.w);
}

__global__ void write(cudaSurfaceObject_t s) {
  surf2Dwrite(10.0f * threadIdx.y + threadIdx.x, s, threadIdx.x * 4, threadIdx.y);
}

static std::vector<cudaTextureObject_t> made;

cudaTextureObject_t texture(const cudaResourceDesc& r, cudaTextureFilterMode filter,
                            cudaTextureAddressMode mode,
                            cudaTextureReadMode read = cudaReadModeElementType,
                            int normalised = 0) {
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = mode;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalised;
  cudaTextureObject_t t = 0;
  printf("%s", cudaCreateTextureObject(&t, &r, &how, nullptr) == cudaSuccess ? "" : "no texture\n");
  made.push_back(t);
  return t;
}

int main() {
  const float numbers[8] = {0, 1, 2, 3, 10, 11, 12, 13};
  float* linear;
  cudaMalloc(&linear, sizeof numbers);
  cudaMemcpy(linear, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeLinear;
  r.res.linear = {linear, cudaCreateChannelDesc<float>(), 4 * sizeof(float)};
  read1d<<<1, 1>>>(texture(r, cudaFilterModePoint, cudaAddressModeClamp));

  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore);
  cudaMemcpy2DToArray(array, 0, 0, numbers, 16, 16, 2, cudaMemcpyHostToDevice);
  r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  read2d<<<1, 1>>>(texture(r, cudaFilterModePoint, cudaAddressModeClamp), Name{"point"});
  read2d<<<1, 1>>>(texture(r, cudaFilterModeLinear, cudaAddressModeClamp), Name{"linear"});
  read2d<<<1, 1>>>(texture(r, cudaFilterModeLinear, cudaAddressModeBorder), Name{"border"});

  cudaSurfaceObject_t surface;
  cudaCreateSurfaceObject(&surface, &r);
  write<<<1, dim3(4, 2)>>>(surface);
  float back[8];
  cudaMemcpy2DFromArray(back, 16, array, 0, 0, 16, 2, cudaMemcpyDeviceToHost);
  printf("%g %g %g\n", back[0], back[3], back[7]);

  const uchar4 colours[2] = {{0, 0, 0, 0}, {255, 51, 0, 102}};
  uchar4* pitched;
  size_t pitch;
  cudaMallocPitch(&pitched, &pitch, sizeof colours, 1);
  cudaMemcpy2D(pitched, pitch, colours, sizeof colours, sizeof colours, 1, cudaMemcpyHostToDevice);
  r = {};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D = {pitched, cudaCreateChannelDesc<uchar4>(), 2, 1, pitch};
  read_bytes<<<1, 1>>>(
      texture(r, cudaFilterModePoint, cudaAddressModeWrap, cudaReadModeNormalizedFloat, 1));
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (cudaTextureObject_t t : made) cudaDestroyTextureObject(t);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
  cudaFree(linear);
  cudaFree(pitched);
}
