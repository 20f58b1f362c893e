#pragma once

// Work that a library (Thrust, CUB) does on the device: a grid of one thread. It may touch device
// memory, and the checks see what it does, functors of the program included.

#include <simt/launch.h>

#include <new>
#include <type_traits>

namespace simt {

// A kernel's closure is memory that host and kernel share: the result lies in it. Functors may
// have a state.
template <class Work, class Result>
struct DeviceTask {
  mutable Work work;
  mutable std::aligned_storage_t<sizeof(Result), alignof(Result)> result;

  void operator()() const { ::new (static_cast<void*>(&result)) Result(work()); }
};
template <class Work>
struct DeviceTask<Work, void> {
  mutable Work work;

  void operator()() const { work(); }
};

// Runs the work, at once if this is a kernel already.
template <class Work>
cudaError_t run_on_device(const char* name, cudaStream_t stream, Work work) {
  if (in_kernel()) {
    work();
    return cudaSuccess;
  }
  const DeviceTask<Work, void> task{work};
  return run_kernel(config(dim3(1), dim3(1), 0, stream), nullptr, name, task);
}

// A program's functor may take references that are not const: it gets copies that it may change.
template <class Op, class... A>
auto call_op(Op& op, A... a) {
  return op(a...);
}

// The combination of [first, first + count) in order, as a tree: a float sum of many elements has
// the small error that a GPU's has.
template <class T, class Iterator, class Size, class Op>
T tree_reduce(Iterator first, Size count, Op& op) {
  if (count > 32) {
    const Size half = count / 2;
    T left = tree_reduce<T>(first, half, op);
    return call_op(op, left, tree_reduce<T>(first + half, count - half, op));
  }
  T result = *first;
  for (Size i = 1; i < count; ++i) result = call_op(op, result, *(first + i));
  return result;
}

}  // namespace simt
