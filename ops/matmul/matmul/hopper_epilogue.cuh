// From the sums in a warp group's registers to d.
#pragma once
#include "core/hopper/accumulator.cuh"
#include "core/hopper/store_rows.cuh"
#include "ops/matmul/matmul/hopper_call.cuh"

namespace warpath::matmul::hopper {

template <class T, int Count>
__device__ __forceinline__ void finish(float (&sums)[Count], const Epilogue<T>& out, Corner at) {
  matmul::finish(out, at.batch, at.row, at.column, [&](auto f) {
#pragma unroll
    for (int j = 0; j < Count / 4; ++j) f(reinterpret_cast<Quad&>(sums[4 * j]), 0, 8 * j);
  });
}

// Finished sums, by the threads themselves: 16 bytes of each of 8 rows per instruction of a warp.
template <class T, int Count>
__device__ __forceinline__ void store_finished(float (&sums)[Count], const Epilogue<T>& out,
                                               Corner at) {
  store_pairs(out, at.batch, at.row, at.column, [&](auto f) { for_each_pair(sums, f); });
}

template <class Tile, class T>
__device__ __forceinline__ void store_direct(typename Tile::Sums& sums, const Epilogue<T>& out,
                                             TilePlace at, int group) {
  const Corner corner = corner_of<Tile>(at, group);
  finish(sums, out, corner);
  store_finished(sums, out, corner);
}

// Through shared memory: by TMA where d has a tensor map, by the threads where it has
// none.
template <class T>
struct Output {
  Epilogue<T> epilogue;
  bool by_engine;
};
template <class T>
Output<T> output_of(const Args& args) {
  return {problem_of<T>(args).out, engine_stores(stack_of_d(args))};
}

template <class Tile, class T>
__device__ __forceinline__ void store_by_engine(const typename Tile::Sums& sums,
                                                const Epilogue<T>& out, Staging& staging,
                                                const CUtensorMap& d, TilePlace at, int group) {
  if (sizeof(T) == 4 || out.to_float)
    store_staged<Tile, float>(sums, staging, d, at, group);
  else
    store_staged<Tile, T>(sums, staging, d, at, group);
}
template <class Tile, class T>
__device__ __forceinline__ void store_by_threads(const typename Tile::Sums& sums,
                                                 const Epilogue<T>& out, Staging& staging,
                                                 TilePlace at, int group) {
  if (sizeof(T) == 4 || out.to_float)
    store_rows<Tile, float>(sums, out, staging, at, group);
  else
    store_rows<Tile, T>(sums, out, staging, at, group);
}

template <class Tile>
__device__ __forceinline__ void store_tile(typename Tile::Sums& sums,
                                           const Output<typename Tile::T>& out,
                                           StagedStorage<Tile>& block, const CUtensorMap& d,
                                           TilePlace at) {
  const int group = consumer_group();
  finish(sums, out.epilogue, corner_of<Tile>(at, group));
  if (out.by_engine)
    store_by_engine<Tile>(sums, out.epilogue, block.staging[group], d, at, group);
  else
    store_by_threads<Tile>(sums, out.epilogue, block.staging[group], at, group);
}

// How d leaves: as the rounded sums, through GELU with or without a bias, through any epilogue, or
// in a way that the kernel finds out.
enum class Way { plain, gelu, finished, any };

template <class T>
bool only_gelu(const Epilogue<T>& e) {
  return e.alpha == 1.0f && !e.c && e.activation == Activation::gelu &&
         (!e.bias || e.bias_in_pairs);
}
template <class T, int Count>
__device__ __forceinline__ void finish_gelu(float (&sums)[Count], const Epilogue<T>& out,
                                            Corner at) {
  const T* const bias = out.bias + at.column;
  const int last = int(out.n - at.column) - 2;
  const auto each = [&](auto place) {
#pragma unroll
    for (int j = 0; j < Count / 4; ++j) {
      Vector<T, 2> two{};
      if (out.bias) two = load<2>(bias + place(8 * j));
      for_each_of(reinterpret_cast<Quad&>(sums[4 * j]), [&](float& sum, int, int right) {
        sum = gelu_by_tanh(sum + to_float(two.at[right]));
      });
    }
  };
  // Columns past the last take its bias and are not stored. Computing 32 clamped places takes
  // longer than a jump over that code.
  last >= 2 * Count - 8 ? each([](int j) { return j; }) : each([&](int j) { return min(j, last); });
}

}  // namespace warpath::matmul::hopper
