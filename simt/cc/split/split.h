#pragma once

// Kernels with barriers as loops over their threads. A kernel whose barriers stand in straight
// code, in loops and in branches gets a second body in front of its own (see simt/split.h):
//   __global__ void k(...) { if (::simt::splits()) { ... return; } the kernel as it was }
// It is cut into pieces at the barriers and at the branches around them. Each piece is a loop over
// the threads of the block; what a thread keeps from one piece to another becomes an array.
// Whatever is not understood leaves the kernel as it is, with its fibers.
//
//   function_facts     which functions of the file may wait, or change their arguments
//   tree               the statements around barriers; declaration: declarations
//   variables          the kernel's variables; uniform: those that are the same for all threads
//   plan               the pieces
//   emit               their text, with line markers for faults and debuggers

#include <string>
#include <string_view>
#include <vector>

namespace simt::cc {

struct SplitKernel {
  std::string name;
  std::string why_not;  // empty: it was split
};

struct SplitText {
  std::string text;  // still CUDA: for translate()
  std::vector<SplitKernel> kernels;
  bool changed = false;
};

// `checked`: for a program that checks itself. Its barriers tell the checks, and a kernel that
// hides something from them as loops keeps its fibers: see split.cpp.
SplitText split_kernels(std::string_view preprocessed, bool checked = false);

}  // namespace simt::cc
