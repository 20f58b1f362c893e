// What a texture fetch gives for every address mode and filter, at texels, between them and
// outside. Linear filtering works with 8 bits of fraction: coordinates of sixteenths are exact,
// others are not used.
#include "facts.h"

__device__ float places[] = {-2.25f, -0.5f,  0.0f, 0.25f, 0.5f, 0.9375f, 1.0f,
                             1.5f,   2.125f, 3.5f, 3.75f, 4.0f, 5.5f,    9.0f};

__global__ void row(cudaTextureObject_t t, Name name, float scale) {
  for (float x : places) printf("%s at %g: %g\n", name.text, x, tex1D<float>(t, x * scale));
}
__global__ void plane(cudaTextureObject_t t, Name name, float scale, float scale_y) {
  for (int i = 0; i < 14; i += 2) {
    const float x = places[i], y = places[13 - i] / 2;
    printf("%s at %g, %g: %g\n", name.text, x, y, tex2D<float>(t, x * scale, y * scale_y));
  }
}
__global__ void bytes(cudaTextureObject_t normal, cudaTextureObject_t plain) {
  for (int i = 0; i < 4; ++i) {
    const float4 f = tex1D<float4>(normal, i + 0.5f);
    const uchar4 u = tex1D<uchar4>(plain, i + 0.5f);
    printf("texel %d: %.9g %.9g %.9g %.9g, %d %d %d %d\n", i, f.x, f.y, f.z, f.w, u.x, u.y, u.z,
           u.w);
  }
}

cudaTextureObject_t make(cudaArray_t array, cudaTextureAddressMode address,
                         cudaTextureFilterMode filter, bool normalised,
                         cudaTextureReadMode read = cudaReadModeElementType) {
  cudaResourceDesc what = {};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = array;
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = address;
  how.filterMode = filter;
  how.readMode = read;
  how.normalizedCoords = normalised;
  how.borderColor[0] = 100;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &what, &how, nullptr);
  return texture;
}

int main() {
  const float numbers[] = {10, 20, 40, 80, 1, 2, 4, 8};
  cudaArray_t line, field, colours;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&line, &format, 4);
  cudaMemcpy2DToArray(line, 0, 0, numbers, 16, 16, 1, cudaMemcpyHostToDevice);
  cudaMallocArray(&field, &format, 4, 2);
  cudaMemcpy2DToArray(field, 0, 0, numbers, 16, 16, 2, cudaMemcpyHostToDevice);
  const struct {
    Name name;
    cudaTextureAddressMode mode;
    bool normalised;
  } modes[] = {
      {{"clamp"}, cudaAddressModeClamp, false},     {{"border"}, cudaAddressModeBorder, false},
      {{"clamp of 1"}, cudaAddressModeClamp, true}, {{"wrap"}, cudaAddressModeWrap, true},
      {{"mirror"}, cudaAddressModeMirror, true},    {{"border of 1"}, cudaAddressModeBorder, true}};
  for (const auto& mode : modes) {
    for (auto filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
      Name name = mode.name;
      strcat(name.text, filter == cudaFilterModePoint ? ", point" : ", linear");
      const float scale = mode.normalised ? 0.25f : 1.0f;
      const cudaTextureObject_t on_line = make(line, mode.mode, filter, mode.normalised);
      row<<<1, 1>>>(on_line, name, scale);
      cudaDeviceSynchronize();
      const cudaTextureObject_t on_field = make(field, mode.mode, filter, mode.normalised);
      plane<<<1, 1>>>(on_field, name, scale, mode.normalised ? 0.5f : 1.0f);
      cudaDeviceSynchronize();
      cudaDestroyTextureObject(on_line);
      cudaDestroyTextureObject(on_field);
    }
  }
  const cudaChannelFormatDesc four = cudaCreateChannelDesc<uchar4>();
  const unsigned char texels[16] = {0,  1,   127, 128, 254, 255, 3,  85,
                                    51, 102, 153, 204, 16,  32,  64, 200};
  cudaMallocArray(&colours, &four, 4);
  cudaMemcpy2DToArray(colours, 0, 0, texels, 16, 16, 1, cudaMemcpyHostToDevice);
  const cudaTextureObject_t normal =
      make(colours, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
  const cudaTextureObject_t plain = make(colours, cudaAddressModeClamp, cudaFilterModePoint, false);
  bytes<<<1, 1>>>(normal, plain);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(normal);
  cudaDestroyTextureObject(plain);
  for (cudaArray_t array : {line, field, colours}) cudaFreeArray(array);
  return finished();
}
