// How a cluster of blocks (Hopper) holds a whole group in its shared memory.
//
// A group is outer * channels planes; each plane is cut into equal pieces, and a segment is one piece of one plane. A
// block of the cluster has a stretch of the segments, a warp one segment at a time, a lane every 32nd vector of it. A lane
// reads back only what it fetched itself, so that no barrier is needed between fetch and use, and the weight and bias of
// a channel are loaded once per segment.
#pragma once
#include <cuda_pipeline.h>

#include <string>

#include "core/cluster/cluster.cuh"
#include "core/host/launch.h"
#include "core/host/tensor.h"
#include "core/thread/divisor.cuh"
#include "ops/norm/group_problem.cuh"
#include "ops/norm/moments.cuh"

namespace warpath::norm {

inline constexpr int most_cluster_blocks = 16;  // over 8 a kernel must opt in; Hopper allows 16
inline constexpr int most_cluster_threads = 512;

struct Segments {
  int count = 0;      // in a group
  int per_block = 0;  // in a block
  int plane_vectors = 0,
      vectors = 0;  // of a plane; of a segment, the last of a plane may be shorter
  int channels = 0;
  Divisor by_pieces{}, by_channels{};  // pieces per plane, channels per group
  int pieces = 1;
  unsigned blocks = 0, threads = 0;  // of a cluster, of a block; 0 blocks: the group does not fit

  // vector_bytes: of one vector of every tensor that is staged.
  Segments(const GroupShape& s, int N, int vector_bytes) {
    const std::int64_t planes = s.outer * s.channels, wide = s.inner / N;
    const std::int64_t bytes = planes * wide * vector_bytes;
    if (s.inner % N != 0 || bytes == 0 || bytes > most_cluster_blocks * largest_part) return;
    plane_vectors = int(wide);
    channels = int(s.channels);
    by_channels = Divisor::of(channels);
    // Four blocks of 48 KiB fit on an SM, or two of 96 KiB. Few groups take larger clusters, to use every SM.
    const std::int64_t enough = 2 * std::int64_t(multiprocessors());
    for (unsigned b = 1; b <= most_cluster_blocks; b *= 2) {
      const std::int64_t most = b < 8 ? 52 * 1024 : b == 8 ? 104 * 1024 : largest_part;
      const bool few = b < 8 && s.all_groups() * b < enough && bytes / b > 8 * 1024;
      if (few || !cut(planes, b, bytes / b > 52 * 1024 ? 512 : 256)) continue;
      if (std::int64_t(part_vectors()) * vector_bytes <= most) return;
    }
    blocks = 0;
  }
  int part_vectors() const { return per_block * vectors; }

 private:
  static constexpr std::int64_t largest_part = 200 * 1024;

  // Pieces per plane for which the busiest warp has the least to do: steps of 32 vectors, and as much as
  // half a step for each segment.
  bool cut(std::int64_t planes, unsigned b, unsigned t) {
    std::int64_t best = 0;
    blocks = 0;
    for (int p = 1; p <= 16 && p <= plane_vectors; ++p) {
      if (planes * p > 1 << 20) break;
      const int wide = ceil_div(plane_vectors, p), each = int(ceil_div(planes * p, b));
      const std::int64_t cost = ceil_div(each, int(t / 32)) * (2 * ceil_div(wide, 32) + 1);
      if (best != 0 && cost >= best) continue;
      best = cost;
      pieces = p;
      by_pieces = Divisor::of(p);
      vectors = wide;
      per_block = each;
      count = int(planes * p);
      blocks = b;
      threads = t;
    }
    return blocks != 0;
  }
};

// The segments of one block.
template <int N>
struct BlockSegments {
  const Segments& s;
  std::int64_t start, pitch, inner;  // in elements
  int first, mine;

  __device__ __forceinline__ BlockSegments(const Segments& s, const GroupShape& shape,
                                           std::int64_t group, int rank)
      : s(s), start(shape.start(group)), pitch(shape.pitch()), inner(shape.inner) {
    first = rank * s.per_block;
    mine = max(0, min(s.per_block, s.count - first));
  }
  __device__ __forceinline__ int plane(int i) const { return s.by_pieces.quotient(first + i); }
  // Channel within the group.
  __device__ __forceinline__ int channel(int i) const {
    const int p = plane(i);
    return p - s.by_channels.quotient(p) * s.channels;
  }
  __device__ __forceinline__ int length(int i) const {
    const int piece = first + i - plane(i) * s.pieces;
    return min(s.vectors, s.plane_vectors - piece * s.vectors);
  }
  // Where segment i of this block lies in the tensors.
  __device__ __forceinline__ std::int64_t place(int i) const {
    const int p = plane(i), piece = first + i - p * s.pieces, run = s.by_channels.quotient(p);
    return start + run * pitch + (p - run * s.channels) * inner +
           std::int64_t(piece) * s.vectors * N;
  }
  // f(segment) for each of this warp.
  template <class F>
  __device__ __forceinline__ void for_each(F f) const {
    for (int i = threadIdx.x / 32; i < mine; i += int(blockDim.x / 32)) f(i);
  }
};

// Starts the copy of this warp's segments of `from` into `stage`.
template <class T, int N>
__device__ __forceinline__ void fetch(uint4* stage, const T* from, const BlockSegments<N>& own) {
  own.for_each([&](int i) {
    const T* const segment = from + own.place(i);
    for (int v = threadIdx.x % 32; v < own.length(i); v += 32)
      __pipeline_memcpy_async(stage + i * own.s.vectors + v, segment + v * N, sizeof(uint4));
  });
}

template <class T, int N>
__device__ __forceinline__ void staged_floats(const uint4& at, float (&out)[N]) {
  const uint4 vector = at;
  to_floats(reinterpret_cast<const Vector<T, N>&>(vector), out);
}

// Empty, or why clusters are not for the call. tensors: how many are staged.
template <class... P>
std::string cluster_takes(const GroupShape& s, std::size_t element, int tensors, const P*... p) {
  const int N = int(16 / element);
  if (s.inner % N != 0 || !all_aligned(16, p...))
    return "takes planes that start at multiples of 16 bytes";
  if (s.size() == 0 || Segments(s, N, 16 * tensors).blocks == 0)
    return "takes groups that a cluster's shared memory holds: up to 3 MiB";
  return "";
}
// A lane should have something to do in every segment.
inline std::string cluster_pays(const GroupShape& s, std::size_t element) {
  return s.inner * std::int64_t(element) >= 512
             ? ""
             : "a warp per plane: planes under 512 bytes leave lanes idle";
}

}  // namespace warpath::norm
