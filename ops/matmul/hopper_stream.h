// Rung 18's product, for a rung that prepares its operands. As hopper_pairs.h: compiled once in the op's library, in
// 18_stream_k_sm90.cu.
#pragma once
#include "hopper_launch.cuh"

namespace warpath::matmul::hopper {

// Flags lie at the front of its scratch, where no other shape's sums ever are: they must be zero between launches.
inline constexpr int most_flags = 1 << 14;

std::int64_t stream_scratch(const Args& args);
std::int64_t stream_zeroed(const Args& args);  // the flags
void stream_launch(const Args& args, cudaStream_t stream);

}  // namespace warpath::matmul::hopper

#ifndef WARPATH_OP_LIBRARY
#include "hopper_stream.cuh"
#endif
