// The forward pass of groups of 32 to 128 KiB: one block per SM walks over them, the next ones are always on their way.
//
// For groups that are one run of whole 16-byte vectors. All of an SM's shared memory is a ring of places, 16 bytes per thread and
// place. A group takes `Places` of them. When it has arrived, each thread moves its vectors to registers and at once
// fetches what is a whole ring further on into the places: no thread reads what another one fetched, so the ring needs no
// barrier. While the group is reduced and written from registers, the ring fills.
#pragma once
#include <cuda_pipeline.h>

#include <string>

#include "core/host/device.cuh"
#include "core/host/tensor.h"
#include "core/thread/divisor.cuh"
#include "ops/norm/group_problem.cuh"
#include "ops/norm/row.cuh"

namespace warpath::norm {

inline constexpr int ring_threads = 1024, ring_places = 13, most_group_places = 8;
inline constexpr int place_bytes = ring_threads * 16;
inline constexpr std::size_t ring_bytes = std::size_t(ring_places) * place_bytes;  // 208 KiB

// by_plane: the vectors of a channel.
template <class T, class W, int Places>
static __global__ void __launch_bounds__(ring_threads, 1)
    ring_forward(const GroupForward<T, W> p, const Divisor by_plane) {
  constexpr int N = lanes_of_16<T>;
  using Piece = Vector<T, N>;
  extern __shared__ uint4 ring_words[];
  __shared__ RowSlots slots[2];
  Piece* const own = reinterpret_cast<Piece*>(ring_words) + threadIdx.x;
  const int size = int(p.shape.run()), vectors = size / N, groups = int(p.shape.all_groups());
  const int step = gridDim.x;

  // The next vector to fetch: its group, its number there, its place. One commit each, also past the end.
  int next_group = blockIdx.x, next_item = 0, next_place = 0;
  const auto fetch = [&] {
    const int v = next_item * ring_threads + int(threadIdx.x);
    if (next_group < groups && v < vectors)
      __pipeline_memcpy_async(own + next_place * ring_threads,
                              p.x + std::int64_t(next_group) * size + v * N, sizeof(Piece));
    __pipeline_commit();
    if (++next_item == Places) {
      next_item = 0;
      next_group += step;
    }
    if (++next_place == ring_places) next_place = 0;
  };
  for (int i = 0; i < ring_places; ++i) fetch();

  int place = 0;
  for (int group = blockIdx.x; group < groups; group += step) {
    __pipeline_wait_prior(ring_places - Places);
    Piece at[Places];
#pragma unroll
    for (int i = 0; i < Places; ++i) {
      if (i * ring_threads + int(threadIdx.x) < vectors) at[i] = own[place * ring_threads];
      if (++place == ring_places) place = 0;
    }
#pragma unroll
    for (int i = 0; i < Places; ++i) fetch();

    // f(elements, number of the vector)
    const auto for_each = [&](auto f) {
#pragma unroll
      for (int i = 0; i < Places; ++i) {
        const int v = i * ring_threads + int(threadIdx.x);
        if (v >= vectors) break;
        float a[N];
        to_floats(at[i], a);
        f(a, v);
      }
    };
    float sum = 0, squares = 0;
    for_each([&](const float(&a)[N], int) {
#pragma unroll
      for (int n = 0; n < N; ++n) sum += a[n];
    });
    const float mean = row_sum(sum, slots[0]) / float(size);
    for_each([&](const float(&a)[N], int) {
#pragma unroll
      for (int n = 0; n < N; ++n) squares += (a[n] - mean) * (a[n] - mean);
    });
    squares = row_sum(squares, slots[1]);
    const float rstd = rsqrtf(squares / float(size) + p.eps);
    const int channels = group % int(p.shape.groups) * int(p.shape.channels);  // before this group
    T* const y = p.y + std::int64_t(group) * size;
    with_activation(p.activation, [&](auto activation) {
      for_each([&](float(&a)[N], int v) {
        const Affine affine = p.affine(mean, rstd, channels + by_plane.quotient(v));
#pragma unroll
        for (int n = 0; n < N; ++n) a[n] = activation.value(affine(a[n]));
        store<N>(y + v * N, from_floats<T>(a));
      });
    });
    if (threadIdx.x == 0) p.keep(group, mean, squares);
  }
  __pipeline_wait_prior(0);
}

template <class T, class W>
void launch_ring_forward(const GroupForward<T, W>& p, cudaStream_t stream) {
  const std::int64_t groups = p.shape.all_groups();
  if (groups == 0) return;
  const auto with = [&]<int Places>(std::integral_constant<int, Places>) {
    const auto kernel = ring_forward<T, W, Places>;
    const auto blocks = std::min<std::int64_t>(groups, multiprocessors());
    kernel<<<unsigned(blocks), ring_threads, allow_shared(kernel, ring_bytes), stream>>>(
        p, Divisor::of(int(p.shape.inner / lanes_of_16<T>)));
  };
  const std::int64_t bytes = p.shape.run() * std::int64_t(sizeof(T));
  if (bytes <= 4 * place_bytes)
    with(std::integral_constant<int, 4>{});
  else if (bytes <= 5 * place_bytes)
    with(std::integral_constant<int, 5>{});
  else if (bytes <= 6 * place_bytes)
    with(std::integral_constant<int, 6>{});
  else
    with(std::integral_constant<int, most_group_places>{});
}

// Empty, or why the ring cannot take the call.
template <class... P>
std::string ring_takes(const GroupShape& s, std::size_t element, const P*... p) {
  const std::int64_t bytes = s.run() * std::int64_t(element);
  if (s.outer != 1 || s.inner * std::int64_t(element) % 16 != 0 || !all_aligned(16, p...))
    return "takes groups that are one run of planes of whole 16-byte vectors";
  if (bytes == 0 || bytes > most_group_places * place_bytes)
    return "takes groups of at most 128 KiB";
  if (s.all_groups() >= std::int64_t(1) << 30) return "takes fewer than 2^30 groups";
  return enough_shared_memory(ring_bytes + 1024);
}

}  // namespace warpath::norm
