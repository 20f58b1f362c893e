// Copies and fills. All of them happen inside the call, so the Async forms differ only in that they
// do not wait for the device: a fault of an earlier kernel may stay unseen.
//
// A GPU with one address space checks less than the four directions suggest: the device side of a
// copy must be memory the API knows, the host side may be any memory, device memory included.

#include <cstring>

#include "api/internal.h"
#include "graph/graph.h"
#include "tools/check_hooks.h"

using namespace simt;
using namespace simt::api;

namespace {

bool known_direction(cudaMemcpyKind kind) {
  return static_cast<int>(kind) >= cudaMemcpyHostToHost &&
         static_cast<int>(kind) <= cudaMemcpyDefault;
}

// May `count` bytes at `pointer` be touched? Memory the API does not know is the program's own and
// passes, unless the direction says that it is on the device.
bool valid_range(const void* pointer, size_t count, bool on_device, const char* what) {
  if (!pointer) return false;
  auto found = find_allocation(pointer);
  const uintptr_t end = reinterpret_cast<uintptr_t>(pointer) + count;
  while (found && found->flags == Allocation::mapped && end > found->end()) {
    const auto next = find_allocation(reinterpret_cast<const void*>(found->end()));
    if (!next || next->flags != Allocation::mapped) break;
    found = next;
  }
  const bool valid = found ? end >= reinterpret_cast<uintptr_t>(pointer) && end <= found->end()
                           : !on_device && !is_device_range(pointer);
  if (!valid && check_hooks != nullptr) check_hooks->bad_range(what, pointer, count);
  return valid;
}

struct Block {
  void* dst;
  size_t dst_pitch;
  const void* src;
  size_t src_pitch;
  size_t width, height;
};

// Bytes from the first to one past the last of pitched memory.
size_t span(size_t pitch, size_t width, size_t height) {
  return pitch * (height - 1) + width;
}

cudaError_t copy(const Block& b, cudaMemcpyKind kind) {
  if (!known_direction(kind)) return cudaErrorInvalidMemcpyDirection;
  if (b.width == 0 || b.height == 0) return cudaSuccess;
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (!valid_range(b.dst, span(b.dst_pitch, b.width, b.height), to_device, "copy to") ||
      !valid_range(b.src, span(b.src_pitch, b.width, b.height), from_device, "copy from"))
    return cudaErrorInvalidValue;
  for (size_t row = 0; row < b.height; ++row) {
    char* const to = static_cast<char*>(b.dst) + row * b.dst_pitch;
    const char* const from = static_cast<const char*>(b.src) + row * b.src_pitch;
    std::memmove(to, from, b.width);
    if (check_hooks == nullptr) continue;
    check_hooks->written(to, b.width);
    if (!is_device_range(to)) check_hooks->copied_out(from, b.width);
  }
  return cudaSuccess;
}

cudaError_t copy_rows(const Block& b, cudaMemcpyKind kind) {
  if (!known_direction(kind)) return cudaErrorInvalidMemcpyDirection;
  if (b.dst_pitch < b.width || b.src_pitch < b.width) return cudaErrorInvalidPitchValue;
  return copy(b, kind);
}

// With an array on a side, positions along x and the width count texels; as plain memory they count
// bytes.
cudaMemcpy3DParms without_arrays(cudaMemcpy3DParms p) {
  if (p.srcArray == nullptr && p.dstArray == nullptr) return p;
  p.extent.width *= simt::api::texel_size(p.srcArray ? p.srcArray : p.dstArray);
  if (p.srcArray) {
    p.srcPtr = simt::api::memory_of(p.srcArray);
    p.srcPos.x *= simt::api::texel_size(p.srcArray);
  }
  if (p.dstArray) {
    p.dstPtr = simt::api::memory_of(p.dstArray);
    p.dstPos.x *= simt::api::texel_size(p.dstArray);
  }
  p.srcArray = p.dstArray = nullptr;
  return p;
}

cudaError_t copy_box(const cudaMemcpy3DParms& parms) {
  const cudaMemcpy3DParms p = without_arrays(parms);
  if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) return cudaSuccess;
  const char* src = static_cast<const char*>(p.srcPtr.ptr);
  char* dst = static_cast<char*>(p.dstPtr.ptr);
  if (!src || !dst) return cudaErrorInvalidValue;
  const size_t src_slice = p.srcPtr.pitch * p.srcPtr.ysize;
  const size_t dst_slice = p.dstPtr.pitch * p.dstPtr.ysize;
  if (p.extent.depth > 1 && (p.srcPos.y + p.extent.height > p.srcPtr.ysize ||
                             p.dstPos.y + p.extent.height > p.dstPtr.ysize))
    return cudaErrorInvalidValue;
  for (size_t z = 0; z < p.extent.depth; ++z) {
    const Block slice{dst + (p.dstPos.z + z) * dst_slice + p.dstPos.y * p.dstPtr.pitch + p.dstPos.x,
                      p.dstPtr.pitch,
                      src + (p.srcPos.z + z) * src_slice + p.srcPos.y * p.srcPtr.pitch + p.srcPos.x,
                      p.srcPtr.pitch,
                      p.extent.width,
                      p.extent.height};
    if (const cudaError_t error = copy_rows(slice, p.kind)) return error;
  }
  return cudaSuccess;
}

cudaMemcpy3DParms without_devices(const cudaMemcpy3DPeerParms& p) {
  return {p.srcArray, p.srcPos, p.srcPtr, p.dstArray,
          p.dstPos,   p.dstPtr, p.extent, cudaMemcpyDeviceToDevice};
}

cudaError_t fill(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  if (width == 0 || height == 0) return cudaSuccess;
  if (height > 1 && pitch < width) return cudaErrorInvalidValue;
  if (!valid_range(pointer, span(pitch, width, height), true, "fill")) return cudaErrorInvalidValue;
  for (size_t row = 0; row < height; ++row) {
    char* const to = static_cast<char*>(pointer) + row * pitch;
    std::memset(to, value, width);
    if (check_hooks != nullptr) check_hooks->written(to, width);
  }
  return cudaSuccess;
}

cudaError_t fill_box(const cudaPitchedPtr& p, int value, const cudaExtent& extent) {
  if (extent.depth > 1 && extent.height > p.ysize) return cudaErrorInvalidValue;
  for (size_t z = 0; z < extent.depth; ++z) {
    void* const slice = static_cast<char*>(p.ptr) + z * p.pitch * p.ysize;
    if (const cudaError_t error = fill(slice, p.pitch, value, extent.width, extent.height))
      return error;
  }
  return cudaSuccess;
}

// The order of the checks is the GPU's: the device's state, then the stream, then the arguments.
template <class F>
cudaError_t blocking(F work) {
  if (const cudaError_t error = graph::refuse_wait(nullptr)) return record(error);
  if (const cudaError_t error = synchronise()) return record(error);
  return record(work());
}
template <class F>
cudaError_t on_stream(cudaStream_t stream, cudaGraphNodeType type, F work) {
  if (const cudaError_t error = device_state()) return record(error);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  if (graph::open_captures != 0)
    if (const auto taken = graph::take(stream, type, work)) return record(*taken);
  return record(work());
}

}  // namespace

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return blocking([&] { return copy({dst, count, src, count, count, 1}, kind); });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return on_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy({dst, count, src, count, count, 1}, kind);
  });
}

cudaError_t cudaMemcpyPeer(void* dst, int dst_device, const void* src, int src_device,
                           size_t count) {
  if (dst_device != 0 || src_device != 0) return record(cudaErrorInvalidDevice);
  return cudaMemcpy(dst, src, count, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dst_device, const void* src, int src_device,
                                size_t count, cudaStream_t stream) {
  if (dst_device != 0 || src_device != 0) return record(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs, const size_t* sizes,
                                 size_t count, cudaMemcpyAttributes*, size_t*, size_t,
                                 cudaStream_t stream) {
  if (!dsts || !srcs || !sizes || count == 0) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i)
    if (const cudaError_t error =
            cudaMemcpyAsync(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream))
      return error;
  return cudaSuccess;
}

cudaError_t cudaMemcpy2D(void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return blocking([&] { return copy_rows({dst, dst_pitch, src, src_pitch, width, height}, kind); });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dst_pitch, const void* src, size_t src_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return on_stream(stream, cudaGraphNodeTypeMemcpy, [=] {
    return copy_rows({dst, dst_pitch, src, src_pitch, width, height}, kind);
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parms) {
  if (!parms) return record(cudaErrorInvalidValue);
  return blocking([&] { return copy_box(*parms); });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parms, cudaStream_t stream) {
  if (!parms) return record(cudaErrorInvalidValue);
  return on_stream(stream, cudaGraphNodeTypeMemcpy, [p = *parms] { return copy_box(p); });
}

cudaError_t cudaMemcpy3DPeer(const cudaMemcpy3DPeerParms* parms) {
  if (!parms) return record(cudaErrorInvalidValue);
  if (parms->srcDevice != 0 || parms->dstDevice != 0) return record(cudaErrorInvalidDevice);
  return blocking([&] { return copy_box(without_devices(*parms)); });
}

cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* parms, cudaStream_t stream) {
  if (!parms) return record(cudaErrorInvalidValue);
  if (parms->srcDevice != 0 || parms->dstDevice != 0) return record(cudaErrorInvalidDevice);
  return on_stream(stream, cudaGraphNodeTypeMemcpy,
                   [p = *parms] { return copy_box(without_devices(p)); });
}

cudaError_t cudaMemset(void* pointer, int value, size_t count) {
  return blocking([&] { return fill(pointer, count, value, count, 1); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t count, cudaStream_t stream) {
  return on_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return fill(pointer, count, value, count, 1); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return blocking([&] { return fill(pointer, pitch, value, width, height); });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return on_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return fill(pointer, pitch, value, width, height); });
}

cudaError_t cudaMemset3D(cudaPitchedPtr pointer, int value, cudaExtent extent) {
  return blocking([&] { return fill_box(pointer, value, extent); });
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr pointer, int value, cudaExtent extent,
                              cudaStream_t stream) {
  return on_stream(stream, cudaGraphNodeTypeMemset,
                   [=] { return fill_box(pointer, value, extent); });
}
