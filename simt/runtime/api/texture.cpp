// Arrays, and the texture and surface objects that read them. An array is plain rows here: a
// program cannot see in which order the hardware stores texels.

#include <simt/api_texture.h>

#include <algorithm>
#include <mutex>
#include <new>
#include <unordered_map>

#include "api/internal.h"
#include "tools/check_hooks.h"

struct cudaArray {
  simt::Image image;
  unsigned flags;
};

using simt::Image;
using simt::api::record;

namespace {

size_t bytes_of(const cudaChannelFormatDesc& f) {
  return static_cast<size_t>((f.x + f.y + f.z + f.w) / 8);
}

size_t rows(const Image& image) {
  return std::max<size_t>(image.height, 1) * std::max<size_t>(image.depth, 1);
}

cudaError_t make_array(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                       unsigned flags) {
  if (array == nullptr || format == nullptr || extent.width == 0 || bytes_of(*format) == 0)
    return record(cudaErrorInvalidValue);
  cudaArray* made = new (std::nothrow) cudaArray{};
  if (made == nullptr) return record(cudaErrorMemoryAllocation);
  made->image = {
      nullptr, *format, extent.width, extent.height, extent.depth, extent.width * bytes_of(*format),
      {}};
  made->flags = flags;
  void* memory = nullptr;
  if (const cudaError_t error = cudaMalloc(&memory, made->image.pitch * rows(made->image))) {
    delete made;
    return error;
  }
  made->image.data = static_cast<char*>(memory);
  *array = made;
  return cudaSuccess;
}

// Rows of an array from byte x of row y on; a run longer than a row goes on in the next, as the
// arrays' copies do. Null where it does not fit.
char* run_at(const cudaArray* array, size_t x, size_t y, size_t bytes) {
  if (array == nullptr) return nullptr;
  const Image& image = array->image;
  if (y * image.pitch + x + bytes > image.pitch * rows(image)) return nullptr;
  return image.data + y * image.pitch + x;
}

// The corner of a rectangle of an array; null where it does not fit.
char* corner(const cudaArray* array, size_t x, size_t y, size_t width, size_t height) {
  if (array == nullptr || x + width > array->image.pitch || y + height > rows(array->image))
    return nullptr;
  return array->image.data + y * array->image.pitch + x;
}

// What living objects were made of, for programs that ask.
struct Made {
  cudaResourceDesc resource;
  cudaResourceViewDesc view;  // zeros where none was given: an H200 tells those, and no error
};
std::mutex made_lock;
std::unordered_map<unsigned long long, Made> made;

template <class Part>
cudaError_t tell_of(unsigned long long object, Part Made::*part, Part* told) {
  const std::lock_guard guard(made_lock);
  const auto it = made.find(object);
  if (told == nullptr || it == made.end()) return record(cudaErrorInvalidValue);
  *told = it->second.*part;
  return cudaSuccess;
}

// What a description stands for; false where it stands for nothing we have.
bool image_from(const cudaResourceDesc& from, Image& image) {
  switch (from.resType) {
    case cudaResourceTypeArray:
      if (from.res.array.array == nullptr) return false;
      image = from.res.array.array->image;
      return true;
    case cudaResourceTypeLinear: {
      const auto& l = from.res.linear;
      if (l.devPtr == nullptr || bytes_of(l.desc) == 0) return false;
      image = {static_cast<char*>(l.devPtr),
               l.desc,
               l.sizeInBytes / bytes_of(l.desc),
               0,
               0,
               l.sizeInBytes,
               {}};
      return true;
    }
    case cudaResourceTypePitch2D: {
      const auto& p = from.res.pitch2D;
      if (p.devPtr == nullptr || bytes_of(p.desc) == 0 ||
          p.pitchInBytes < p.width * bytes_of(p.desc))
        return false;
      image = {static_cast<char*>(p.devPtr), p.desc, p.width, p.height, 0, p.pitchInBytes, {}};
      return true;
    }
    default:
      return false;
  }
}

cudaError_t make_object(unsigned long long* object, const cudaResourceDesc* resource,
                        const cudaTextureDesc* how, const cudaResourceViewDesc* view,
                        const char* what) {
  Image image{};
  if (object == nullptr || resource == nullptr || !image_from(*resource, image))
    return record(cudaErrorInvalidValue);
  if (how != nullptr) image.how = *how;
  // Kernels read it, so it lives in memory of the device.
  void* memory = nullptr;
  if (const cudaError_t error = simt::api::allocate_own(&memory, sizeof image)) return error;
  if (simt::check_hooks != nullptr && simt::check_hooks->object_made != nullptr)
    simt::check_hooks->object_made(memory, what);
  *object = reinterpret_cast<unsigned long long>(memory);
  {
    const std::lock_guard guard(made_lock);
    made[*object] = {*resource, view != nullptr ? *view : cudaResourceViewDesc{}};
  }
  return cudaMemcpy(memory, &image, sizeof image, cudaMemcpyHostToDevice);
}

cudaError_t drop_object(unsigned long long object) {
  {
    const std::lock_guard guard(made_lock);
    made.erase(object);
  }
  return cudaFree(reinterpret_cast<void*>(object));
}

}  // namespace

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                            size_t height, unsigned flags) {
  return make_array(array, format, {width, height, 0}, flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                              cudaExtent extent, unsigned flags) {
  return make_array(array, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  const cudaError_t error = cudaFree(array->image.data);
  delete array;
  return error;
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  if (array == nullptr) return record(cudaErrorInvalidValue);
  if (format != nullptr) *format = array->image.format;
  if (extent != nullptr) *extent = {array->image.width, array->image.height, array->image.depth};
  if (flags != nullptr) *flags = array->flags;
  return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, const cudaArray* array) {
  return cudaArrayGetInfo(format, nullptr, nullptr, const_cast<cudaArray*>(array));
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  char* const at = run_at(to, x, y, bytes);
  return at ? cudaMemcpy(at, from, bytes, kind) : record(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                   size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  char* const at = run_at(to, x, y, bytes);
  return at ? cudaMemcpyAsync(at, from, bytes, kind, stream) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyFromArray(void* to, const cudaArray* from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  const char* const at = run_at(from, x, y, bytes);
  return at ? cudaMemcpy(to, at, bytes, kind) : record(cudaErrorInvalidValue);
}
cudaError_t cudaMemcpyFromArrayAsync(void* to, const cudaArray* from, size_t x, size_t y,
                                     size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const char* const at = run_at(from, x, y, bytes);
  return at ? cudaMemcpyAsync(to, at, bytes, kind, stream) : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, const cudaArray* from,
                                   size_t from_x, size_t from_y, size_t bytes,
                                   cudaMemcpyKind kind) {
  char* const target = run_at(to, to_x, to_y, bytes);
  const char* const source = run_at(from, from_x, from_y, bytes);
  if (target == nullptr || source == nullptr) return record(cudaErrorInvalidValue);
  return cudaMemcpy(target, source, bytes, kind);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  char* const at = corner(to, x, y, width, height);
  if (at == nullptr) return record(cudaErrorInvalidValue);
  return cudaMemcpy2D(at, to->image.pitch, from, pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from,
                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  char* const at = corner(to, x, y, width, height);
  if (at == nullptr) return record(cudaErrorInvalidValue);
  return cudaMemcpy2DAsync(at, to->image.pitch, from, pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, const cudaArray* from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  const char* const at = corner(from, x, y, width, height);
  if (at == nullptr) return record(cudaErrorInvalidValue);
  return cudaMemcpy2D(to, pitch, at, from->image.pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, const cudaArray* from, size_t x,
                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  const char* const at = corner(from, x, y, width, height);
  if (at == nullptr) return record(cudaErrorInvalidValue);
  return cudaMemcpy2DAsync(to, pitch, at, from->image.pitch, width, height, kind, stream);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     const cudaArray* from, size_t from_x, size_t from_y,
                                     size_t width, size_t height, cudaMemcpyKind kind) {
  char* const target = corner(to, to_x, to_y, width, height);
  const char* const source = corner(from, from_x, from_y, width, height);
  if (target == nullptr || source == nullptr) return record(cudaErrorInvalidValue);
  return cudaMemcpy2D(target, to->image.pitch, source, from->image.pitch, width, height, kind);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc* view) {
  if (how == nullptr) return record(cudaErrorInvalidValue);
  return make_object(texture, resource, how, view, "texture object");
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return drop_object(texture);
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* how, cudaTextureObject_t texture) {
  if (how == nullptr || texture == 0) return record(cudaErrorInvalidValue);
  *how = reinterpret_cast<const Image*>(texture)->how;
  return cudaSuccess;
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaTextureObject_t texture) {
  return tell_of(texture, &Made::resource, resource);
}

cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* view,
                                                 cudaTextureObject_t texture) {
  return tell_of(texture, &Made::view, view);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource,
                                             cudaSurfaceObject_t surface) {
  return cudaGetTextureObjectResourceDesc(resource, surface);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface,
                                    const cudaResourceDesc* resource) {
  return make_object(surface, resource, nullptr, nullptr, "surface object");
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return drop_object(surface);
}

void simt::misaligned_surface(unsigned long long object, int x, size_t bytes, bool write) {
  if (check_hooks == nullptr || check_hooks->misaligned_surface == nullptr) return;
  check_hooks->misaligned_surface(reinterpret_cast<const void*>(object), x, bytes, write,
                                  __builtin_return_address(0));
}

namespace simt::api {

// The memory behind an array, as a pitched pointer: what a 3D copy takes.
cudaPitchedPtr memory_of(const cudaArray* array) {
  const Image& image = array->image;
  return {image.data, image.pitch, image.width * bytes_of(image.format),
          std::max<size_t>(image.height, 1)};
}
size_t texel_size(const cudaArray* array) {
  return bytes_of(array->image.format);
}

}  // namespace simt::api
