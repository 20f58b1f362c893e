// Rung 18's product, for a rung that prepares its operands. It takes minutes to compile and is compiled once, in
// 18_stream_k_sm90.cu; a file of your own that calls it includes hopper_stream.cuh instead, which has all of it.
#pragma once
#include "hopper_launch.cuh"

namespace warpath::matmul::hopper {

// Flags lie at the front of its scratch, where no other shape's sums ever are: they must be zero between launches.
inline constexpr int most_flags = 1 << 14;

std::int64_t stream_scratch(const Args& args);
std::int64_t stream_zeroed(const Args& args);
void stream_launch(const Args& args, cudaStream_t stream);

}  // namespace warpath::matmul::hopper
