// Whole tiles by pairs of blocks, one above the other, in every form.
#pragma once
#include "hopper_pairs.h"
#include "hopper_whole.cuh"

namespace warpath::matmul::hopper {

void launch_pairs(const Args& args, cudaStream_t stream) {
  by_form(args, [&]<class T, bool A, bool B>(Form<T, A, B>) {
    launch_whole<RunTile<2, T, A, B>>(args, stream);
  });
}

}  // namespace warpath::matmul::hopper
