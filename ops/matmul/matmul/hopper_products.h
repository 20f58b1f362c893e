// What the Hopper rungs launch of each other. Each is compiled once, where it says; a copy of a
// rung links it.
#pragma once
#include "core/block/stream_k.cuh"
#include "ops/matmul/matmul/matmul.h"

namespace warpath::matmul::hopper {

// 17_staged_sm90.cu: whole tiles of 128 x 256, by pairs of blocks, one above the other, or by
// single ones.
void launch_pairs(const Args& args, cudaStream_t stream);
void launch_singles(const Args& args, cudaStream_t stream);

// 18_stream_k_sm90.cu. Flags are at the front of its scratch memory, where no other shape's sums
// ever are: they must be zero between launches.
inline constexpr int most_flags = 1 << 14;
std::int64_t stream_scratch(const Args& args);
std::int64_t stream_zeroed(const Args& args);  // the flags
void stream_launch(const Args& args, cudaStream_t stream);

// split_tiles_sm90.cu: every tile cut along k.
enum class TileKind { pair, single, square };
void launch_split_tiles(const Args& args, TileKind kind, const EqualParts& work,
                        cudaStream_t stream);

// narrow_last_wave_sm90.cu: whole waves of tiles of a pair of blocks, then one of narrower ones.
// How much of d the whole tiles take, in rows and columns; the other rows, or the other columns,
// are left to the narrower ones.
struct WholePart {
  std::int64_t rows = 0, columns = 0;  // none: all of d
  explicit operator bool() const { return rows > 0; }
};
WholePart whole_part(const Args& args);
void launch_narrow_last_wave(const Args& args, const WholePart& whole, cudaStream_t stream);

}  // namespace warpath::matmul::hopper
