// The args of a call as a kernel takes them, by value. The two tables come with them: kernel parameters lie in constant
// memory.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/quant/nf4_quantize/nf4_quantize.h"

namespace warpath::nf4_quantize {

template <class T>
struct Problem {
  const unsigned char *codes, *absmax;
  const float *scales, *offset;
  T* w;
  std::int64_t blocks;
  nf4::Values values;
  nf4::Map map;

  __device__ __forceinline__ float factor(std::int64_t b) const {
    return fmaf(map.at[absmax[b]], scales[b / nf4::group], *offset);
  }
};

template <class T>
Problem<T> problem_of(const Dequantize& args) {
  return {args.codes.as<unsigned char>(),
          args.absmax.as<unsigned char>(),
          args.scales.as<float>(),
          args.offset.as<float>(),
          args.w.as<T>(),
          args.blocks(),
          nf4::values,
          nf4::map};
}

}  // namespace warpath::nf4_quantize
