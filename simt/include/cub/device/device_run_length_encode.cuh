#pragma once

// Runs of equal items.

#include <cub/util_device.cuh>

namespace cub {

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Lengths, class NumRuns, class N>
  static cudaError_t Encode(void* storage, std::size_t& bytes, In in, Unique unique,
                            Lengths lengths, NumRuns num_runs, N count,
                            cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceRunLengthEncode::Encode", storage, bytes, 0, stream,
                               [=]() mutable {
                                 N runs = 0;
                                 for (N i = 0; i < count; ++runs) {
                                   const N end = end_of_run(in, i, count);
                                   unique[runs] = in[i];
                                   lengths[runs] = end - i;
                                   i = end;
                                 }
                                 *num_runs = runs;
                               });
  }
  // Runs of one item are left out.
  template <class In, class Offsets, class Lengths, class NumRuns, class N>
  static cudaError_t NonTrivialRuns(void* storage, std::size_t& bytes, In in, Offsets offsets,
                                    Lengths lengths, NumRuns num_runs, N count,
                                    cudaStream_t stream = nullptr) {
    return detail::device_wide("cub::DeviceRunLengthEncode::NonTrivialRuns", storage, bytes, 0,
                               stream, [=]() mutable {
                                 N runs = 0;
                                 for (N i = 0; i < count;) {
                                   const N end = end_of_run(in, i, count);
                                   if (end - i > 1) {
                                     offsets[runs] = i;
                                     lengths[runs++] = end - i;
                                   }
                                   i = end;
                                 }
                                 *num_runs = runs;
                               });
  }

 private:
  template <class In, class N>
  static N end_of_run(In& in, N first, N count) {
    const detail::value_of<In> value = in[first];
    N end = first + 1;
    for (; end < count; ++end) {
      const detail::value_of<In> next = in[end];
      if (!(value == next)) break;
    }
    return end;
  }
};

}  // namespace cub
