// Rung 17's product, for the rungs after it. It takes minutes to compile: in the op's library that is done once, in
// 17_staged_sm90.cu; a file by itself (your copy of rung 18, say) brings all of it along.
#pragma once
#include "hopper_launch.cuh"

namespace warpath::matmul::hopper {

void launch_pairs(const Args& args, cudaStream_t stream);

}  // namespace warpath::matmul::hopper

#ifndef WARPATH_OP_LIBRARY
#include "hopper_pairs.cuh"
#endif
