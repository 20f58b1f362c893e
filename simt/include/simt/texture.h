#pragma once

// What kernels read textures and surfaces with.
//
// Sampling follows the CUDA guide: texel centres lie at 0.5, linear filtering takes weights with 8
// fractional bits, and the wrap and mirror modes work on normalised coordinates only.

#include <simt/api_texture.h>
#include <vector_types.h>

#include <cmath>
#include <cstring>
#include <type_traits>

enum cudaSurfaceBoundaryMode {
  cudaBoundaryModeZero = 0,
  cudaBoundaryModeClamp = 1,
  cudaBoundaryModeTrap = 2
};

namespace simt {

template <class T>
struct Channels {
  static constexpr int count = 1;
  using type = T;
};
#define SIMT_CHANNELS(scalar, name) \
  template <>                       \
  struct Channels<name##1> {        \
    static constexpr int count = 1; \
    using type = scalar;            \
  };                                \
  template <>                       \
  struct Channels<name##2> {        \
    static constexpr int count = 2; \
    using type = scalar;            \
  };                                \
  template <>                       \
  struct Channels<name##4> {        \
    static constexpr int count = 4; \
    using type = scalar;            \
  };
SIMT_CHANNELS(signed char, char)
SIMT_CHANNELS(unsigned char, uchar)
SIMT_CHANNELS(short, short)
SIMT_CHANNELS(unsigned short, ushort)
SIMT_CHANNELS(int, int)
SIMT_CHANNELS(unsigned, uint)
SIMT_CHANNELS(float, float)
#undef SIMT_CHANNELS

inline const Image& image_of(unsigned long long object) {
  return *reinterpret_cast<const Image*>(object);
}

// The place of a texel along one axis after the address mode; -1: the border.
inline long long address(double at, size_t size, cudaTextureAddressMode mode, bool normalized) {
  const auto n = static_cast<long long>(size == 0 ? 1 : size);
  auto i = static_cast<long long>(std::floor(at));
  if (i >= 0 && i < n) return i;
  if (mode == cudaAddressModeBorder) return -1;
  if (normalized && mode == cudaAddressModeWrap) return ((i % n) + n) % n;
  if (normalized && mode == cudaAddressModeMirror) {
    i = ((i % (2 * n)) + 2 * n) % (2 * n);
    return i < n ? i : 2 * n - 1 - i;
  }
  return i < 0 ? 0 : n - 1;
}

// One channel of a texel as the texture's read mode has it.
inline float channel(const char* texel, const cudaChannelFormatDesc& format, int k,
                     bool normalised) {
  const int bits = format.x;
  const char* at = texel + k * (bits / 8);
  if (format.f == cudaChannelFormatKindFloat) {
    if (bits == 32) {
      float value;
      std::memcpy(&value, at, 4);
      return value;
    }
    _Float16 value;
    std::memcpy(&value, at, 2);
    return static_cast<float>(value);
  }
  if (format.f == cudaChannelFormatKindSigned) {
    const int value = bits == 8    ? *reinterpret_cast<const signed char*>(at)
                      : bits == 16 ? *reinterpret_cast<const short*>(at)
                                   : *reinterpret_cast<const int*>(at);
    if (!normalised) return static_cast<float>(value);
    const float most = bits == 8 ? 127.0f : 32767.0f;
    return std::fmax(static_cast<float>(value) / most, -1.0f);
  }
  const unsigned value = bits == 8    ? *reinterpret_cast<const unsigned char*>(at)
                         : bits == 16 ? *reinterpret_cast<const unsigned short*>(at)
                                      : *reinterpret_cast<const unsigned*>(at);
  if (!normalised) return static_cast<float>(value);
  return static_cast<float>(value) / (bits == 8 ? 255.0f : 65535.0f);
}

inline int texel_bytes(const cudaChannelFormatDesc& f) {
  return (f.x + f.y + f.z + f.w) / 8;
}

inline const char* texel(const Image& image, long long x, long long y, long long z) {
  if (x < 0 || y < 0 || z < 0) return nullptr;
  const size_t rows = image.height == 0 ? 1 : image.height;
  return image.data + (static_cast<size_t>(z) * rows + static_cast<size_t>(y)) * image.pitch +
         static_cast<size_t>(x) * static_cast<size_t>(texel_bytes(image.format));
}

template <class T>
T element(const Image& image, const char* at) {
  using Scalar = typename Channels<T>::type;
  T result{};
  auto* out = reinterpret_cast<Scalar*>(&result);
  const bool normalised = image.how.readMode == cudaReadModeNormalizedFloat;
  if (!normalised && (!std::is_same_v<Scalar, float> || image.format.x == 32)) {
    const auto bytes = static_cast<size_t>(texel_bytes(image.format));
    if (at != nullptr && bytes >= sizeof(T))
      std::memcpy(&result, at, sizeof(T));  // one access, which the checks see
    else if (at != nullptr)
      std::memcpy(&result, at, bytes);
    else
      for (int k = 0; k < Channels<T>::count; ++k)
        out[k] = static_cast<Scalar>(image.how.borderColor[k]);
    return result;
  }
  for (int k = 0; k < Channels<T>::count; ++k) {
    const bool there = k * (image.format.x / 8) < texel_bytes(image.format);
    out[k] = static_cast<Scalar>(at == nullptr ? image.how.borderColor[k]
                                 : there       ? channel(at, image.format, k, normalised)
                                               : 0.0f);
  }
  return result;
}

template <class T>
T sample(const Image& image, float x, float y, float z) {
  const cudaTextureDesc& how = image.how;
  const bool normalized = how.normalizedCoords != 0;
  double at[3] = {x, y, z};
  const size_t size[3] = {image.width, image.height, image.depth};
  if (normalized)
    for (int a = 0; a < 3; ++a) at[a] *= static_cast<double>(size[a] == 0 ? 1 : size[a]);
  const auto fetch = [&](double px, double py, double pz) {
    return element<T>(
        image, texel(image, address(px, size[0], how.addressMode[0], normalized),
                     address(py, size[1], how.addressMode[1], normalized),
                     size[2] == 0 ? 0 : address(pz, size[2], how.addressMode[2], normalized)));
  };
  using Scalar = typename Channels<T>::type;
  if (how.filterMode == cudaFilterModePoint || !std::is_same_v<Scalar, float>)
    return fetch(at[0], at[1], at[2]);

  // A one-dimensional array is a row of a plane, read at y = 0: half of what is there comes from
  // the row before it, if the second address mode is the border. An H200 does so.
  const bool between_rows = size[1] != 0 || how.addressMode[1] == cudaAddressModeBorder;
  const bool filtered[3] = {true, between_rows, size[2] != 0};
  double low[3], weight[3];
  for (int a = 0; a < 3; ++a) {
    const double shifted = filtered[a] ? at[a] - 0.5 : 0;
    low[a] = std::floor(shifted);
    weight[a] = std::floor((shifted - low[a]) * 256 + 0.5) / 256;
  }
  T result{};
  auto* out = reinterpret_cast<float*>(&result);
  for (int corner = 0; corner < 8; ++corner) {
    double w = 1;
    for (int a = 0; a < 3; ++a) w *= corner >> a & 1 ? weight[a] : 1 - weight[a];
    if (w == 0) continue;
    const T texel_here =
        fetch(low[0] + (corner & 1), low[1] + (corner >> 1 & 1), low[2] + (corner >> 2 & 1));
    const auto* in = reinterpret_cast<const float*>(&texel_here);
    for (int k = 0; k < Channels<T>::count; ++k) out[k] += static_cast<float>(w) * in[k];
  }
  return result;
}

// One layer of a layered image; a layer outside is the nearest one, as on the GPU.
inline Image layer_of(unsigned long long object, int layer) {
  Image image = image_of(object);
  const int last = static_cast<int>(image.depth == 0 ? 1 : image.depth) - 1;
  const int inside = layer < 0 ? 0 : layer > last ? last : layer;
  image.data += static_cast<size_t>(inside) * (image.height == 0 ? 1 : image.height) * image.pitch;
  image.depth = 0;
  return image;
}

// Where a surface access goes; null where it must not happen. `x` counts bytes.
inline char* surface_place(unsigned long long object, int x, int y, int z, size_t bytes,
                           cudaSurfaceBoundaryMode mode) {
  const Image& image = image_of(object);
  const auto row = static_cast<int>(image.width) * texel_bytes(image.format);
  const auto limit = [](size_t n) { return static_cast<int>(n == 0 ? 1 : n); };
  const bool inside = x >= 0 && x + static_cast<int>(bytes) <= row && y >= 0 &&
                      y < limit(image.height) && z >= 0 && z < limit(image.depth);
  if (!inside) {
    if (mode == cudaBoundaryModeTrap) trap({__builtin_FILE(), __builtin_LINE()});
    if (mode == cudaBoundaryModeZero) return nullptr;
    x = x < 0 ? 0 : x > row - static_cast<int>(bytes) ? row - static_cast<int>(bytes) : x;
    y = y < 0 ? 0 : y >= limit(image.height) ? limit(image.height) - 1 : y;
    z = z < 0 ? 0 : z >= limit(image.depth) ? limit(image.depth) - 1 : z;
  }
  return const_cast<char*>(texel(image, 0, y, z)) + x;
}

template <class T>
T surface_read(unsigned long long object, int x, int y, int z, cudaSurfaceBoundaryMode mode) {
  T value{};
  if (x % static_cast<int>(sizeof(T)) != 0) misaligned_surface(object, x, sizeof(T), false);
  if (const char* at = surface_place(object, x, y, z, sizeof(T), mode))
    std::memcpy(&value, at, sizeof(T));
  return value;
}
template <class T>
void surface_write(const T& value, unsigned long long object, int x, int y, int z,
                   cudaSurfaceBoundaryMode mode) {
  if (x % static_cast<int>(sizeof(T)) != 0) misaligned_surface(object, x, sizeof(T), true);
  if (char* at = surface_place(object, x, y, z, sizeof(T), mode))
    std::memcpy(at, &value, sizeof(T));
}

// The format that holds a T.
template <class T>
cudaChannelFormatDesc channel_format() {
  using Scalar = typename Channels<T>::type;
  constexpr int bits = sizeof(Scalar) * 8;
  constexpr int n = Channels<T>::count;
  return {bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
          std::is_floating_point_v<Scalar> ? cudaChannelFormatKindFloat
          : std::is_unsigned_v<Scalar>     ? cudaChannelFormatKindUnsigned
                                           : cudaChannelFormatKindSigned};
}

}  // namespace simt

template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  return simt::channel_format<T>();
}

// An index outside linear memory reads zero.
template <class T>
T tex1Dfetch(cudaTextureObject_t object, int i) {
  const simt::Image& image = simt::image_of(object);
  const bool inside = i >= 0 && static_cast<size_t>(i) < image.width;
  return inside ? simt::element<T>(image, simt::texel(image, i, 0, 0)) : T{};
}
template <class T>
T tex1D(cudaTextureObject_t object, float x) {
  return simt::sample<T>(simt::image_of(object), x, 0, 0);
}
template <class T>
T tex2D(cudaTextureObject_t object, float x, float y) {
  return simt::sample<T>(simt::image_of(object), x, y, 0);
}
template <class T>
T tex3D(cudaTextureObject_t object, float x, float y, float z) {
  return simt::sample<T>(simt::image_of(object), x, y, z);
}
template <class T>
T tex1DLayered(cudaTextureObject_t object, float x, int layer) {
  return simt::sample<T>(simt::layer_of(object, layer), x, 0, 0);
}
template <class T>
T tex2DLayered(cudaTextureObject_t object, float x, float y, int layer) {
  return simt::sample<T>(simt::layer_of(object, layer), x, y, 0);
}
template <class T>
void tex1Dfetch(T* to, cudaTextureObject_t object, int i) {
  *to = tex1Dfetch<T>(object, i);
}
template <class T>
void tex2D(T* to, cudaTextureObject_t object, float x, float y) {
  *to = tex2D<T>(object, x, y);
}

template <class T>
T surf1Dread(cudaSurfaceObject_t s, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return simt::surface_read<T>(s, x, 0, 0, mode);
}
template <class T>
T surf2Dread(cudaSurfaceObject_t s, int x, int y,
             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return simt::surface_read<T>(s, x, y, 0, mode);
}
template <class T>
T surf3Dread(cudaSurfaceObject_t s, int x, int y, int z,
             cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  return simt::surface_read<T>(s, x, y, z, mode);
}
template <class T>
void surf2Dread(T* to, cudaSurfaceObject_t s, int x, int y,
                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  *to = simt::surface_read<T>(s, x, y, 0, mode);
}
template <class T>
void surf1Dwrite(T value, cudaSurfaceObject_t s, int x,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  simt::surface_write(value, s, x, 0, 0, mode);
}
template <class T>
void surf2Dwrite(T value, cudaSurfaceObject_t s, int x, int y,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  simt::surface_write(value, s, x, y, 0, mode);
}
template <class T>
void surf3Dwrite(T value, cudaSurfaceObject_t s, int x, int y, int z,
                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  simt::surface_write(value, s, x, y, z, mode);
}

#include <simt/texture_forms.h>
