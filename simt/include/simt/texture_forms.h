#pragma once

// Cubemaps, surfaces of layers, and the other forms of the texture functions. Part of
// simt/texture.h.

namespace simt {

// The face of a cubemap that a direction meets, and where: the table of the programming guide.
// Filtering stays inside the face.
struct CubePlace {
  int face;
  float s, t;  // 0 to 1
};
inline CubePlace cube_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  int face = z < 0 ? 5 : 4;
  float m = az, s = z < 0 ? -x : x, t = -y;
  if (ax > ay && ax > az) {
    face = x < 0 ? 1 : 0;
    m = ax;
    s = x < 0 ? z : -z;
  } else if (ay > az) {
    face = y < 0 ? 3 : 2;
    m = ay;
    s = x;
    t = y < 0 ? -z : z;
  }
  return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

template <class T>
T sample_cube(unsigned long long object, float x, float y, float z, int layer) {
  const CubePlace place = cube_place(x, y, z);
  Image image = layer_of(object, 6 * layer + place.face);
  image.how.normalizedCoords = 1;
  for (cudaTextureAddressMode& mode : image.how.addressMode) mode = cudaAddressModeClamp;
  return sample<T>(image, place.s, place.t, 0);
}

// The four texels that linear filtering would mix, of one channel: left below, right below, right
// above, left above.
template <class T>
T gather(unsigned long long object, float x, float y, int channel) {
  Image image = image_of(object);
  const bool normalized = image.how.normalizedCoords != 0;
  if (normalized) {
    x *= static_cast<float>(image.width);
    y *= static_cast<float>(image.height);
  }
  const double left = std::floor(x - 0.5), top = std::floor(y - 0.5);
  constexpr int dx[4] = {0, 1, 1, 0}, dy[4] = {1, 1, 0, 0};
  T result{};
  auto* out = reinterpret_cast<typename Channels<T>::type*>(&result);
  for (int i = 0; i < 4; ++i) {
    const auto column = address(left + dx[i], image.width, image.how.addressMode[0], normalized);
    const auto row = address(top + dy[i], image.height, image.how.addressMode[1], normalized);
    const T value = element<T>(image, texel(image, column, row, 0));
    out[i] = reinterpret_cast<const typename Channels<T>::type*>(&value)[channel];
  }
  return result;
}

}  // namespace simt

template <class T>
T texCubemap(cudaTextureObject_t object, float x, float y, float z) {
  return simt::sample_cube<T>(object, x, y, z, 0);
}
template <class T>
T texCubemapLayered(cudaTextureObject_t object, float x, float y, float z, int layer) {
  return simt::sample_cube<T>(object, x, y, z, layer);
}
template <class T>
T tex2Dgather(cudaTextureObject_t object, float x, float y, int channel = 0) {
  return simt::gather<T>(object, x, y, channel);
}

// There are no mipmaps, so every level of detail is the only one.
template <class T>
T tex1DLod(cudaTextureObject_t object, float x, float) {
  return tex1D<T>(object, x);
}
template <class T>
T tex2DLod(cudaTextureObject_t object, float x, float y, float) {
  return tex2D<T>(object, x, y);
}
template <class T>
T tex3DLod(cudaTextureObject_t object, float x, float y, float z, float) {
  return tex3D<T>(object, x, y, z);
}
template <class T>
T tex2DGrad(cudaTextureObject_t object, float x, float y, float2, float2) {
  return tex2D<T>(object, x, y);
}
template <class T>
T tex2DLayeredLod(cudaTextureObject_t object, float x, float y, int layer, float) {
  return tex2DLayered<T>(object, x, y, layer);
}
template <class T>
T texCubemapLod(cudaTextureObject_t object, float x, float y, float z, float) {
  return texCubemap<T>(object, x, y, z);
}

template <class T>
void tex1D(T* to, cudaTextureObject_t object, float x) {
  *to = tex1D<T>(object, x);
}
template <class T>
void tex3D(T* to, cudaTextureObject_t object, float x, float y, float z) {
  *to = tex3D<T>(object, x, y, z);
}
template <class T>
void tex1DLayered(T* to, cudaTextureObject_t object, float x, int layer) {
  *to = tex1DLayered<T>(object, x, layer);
}
template <class T>
void tex2DLayered(T* to, cudaTextureObject_t object, float x, float y, int layer) {
  *to = tex2DLayered<T>(object, x, y, layer);
}
template <class T>
void texCubemap(T* to, cudaTextureObject_t object, float x, float y, float z) {
  *to = texCubemap<T>(object, x, y, z);
}

template <class T>
T surf1DLayeredread(cudaSurfaceObject_t s, int x, int layer,
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return simt::surface_read<T>(s, x, 0, layer, mode);
}
template <class T>
T surf2DLayeredread(cudaSurfaceObject_t s, int x, int y, int layer,
                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return simt::surface_read<T>(s, x, y, layer, mode);
}
template <class T>
T surfCubemapread(cudaSurfaceObject_t s, int x, int y, int face,
                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return simt::surface_read<T>(s, x, y, face, mode);
}
template <class T>
void surf1Dread(T* to, cudaSurfaceObject_t s, int x,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = simt::surface_read<T>(s, x, 0, 0, mode);
}
template <class T>
void surf3Dread(T* to, cudaSurfaceObject_t s, int x, int y, int z,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = simt::surface_read<T>(s, x, y, z, mode);
}
template <class T>
void surf2DLayeredread(T* to, cudaSurfaceObject_t s, int x, int y, int layer,
                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = simt::surface_read<T>(s, x, y, layer, mode);
}
template <class T>
void surf1DLayeredwrite(T value, cudaSurfaceObject_t s, int x, int layer,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  simt::surface_write(value, s, x, 0, layer, mode);
}
template <class T>
void surf2DLayeredwrite(T value, cudaSurfaceObject_t s, int x, int y, int layer,
                        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  simt::surface_write(value, s, x, y, layer, mode);
}
template <class T>
void surfCubemapwrite(T value, cudaSurfaceObject_t s, int x, int y, int face,
                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  simt::surface_write(value, s, x, y, face, mode);
}
