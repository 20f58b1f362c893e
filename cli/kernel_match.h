// Which argument of an op each parameter of a plain kernel is: by the comment above it, else by its
// name, constness and type, else by order.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/kernel_source.h"
#include "core/host/contract.h"

namespace warpath::cli {

// How a plain kernel is launched. Empty: as the comment says, else the default. Sizes of the op may
// stand in all of them: --grid rows.
struct LaunchShape {
  std::string grid, block, shared;
};

struct KernelMatch {
  const Contract* contract = nullptr;
  const Kernel* kernel = nullptr;
  std::string template_arguments;      // "<float>", or nothing
  std::vector<std::string> arguments;  // C++, in terms of the contract's names
  std::vector<std::string> meanings;   // for people: "x", "cols"; one per parameter
  std::vector<std::string> entries;    // what a comment above the kernel says, or would say
  std::map<const ArgSpec*, DType> tensors;
  std::map<const ArgSpec*, std::string>
      narrow;                           // outputs of 64 bits that the kernel has in this type of 32
  std::vector<const ArgSpec*> without;  // inputs that the comment says the kernel needs not
  std::vector<const ArgSpec*> zeroed;   // set to zero before the launch
  std::map<const ArgSpec*, const ArgSpec*> begun;  // outputs that begin as a copy of this input
  std::vector<const ArgSpec*> passed;              // scalars
  std::map<std::string, double> fixed;  // dimensions and scalars that have this value only
  std::vector<std::string> known_dims;  // that a parameter or the launch depends on
  std::vector<std::string> equal_dims;  // that one parameter stands for, so they must be equal
  bool restricted = false;              // no output may be the memory of an input
  LaunchShape launch;                   // C++; an empty grid: enough for every element
  bool launch_chosen = false;           // a grid or a block was asked for, not the default
};

// Throws Refusal: one line that names the parameter, and what the op has.
KernelMatch match_kernel(const Contract& contract, const KernelSource& source, const Kernel& kernel,
                         const LaunchShape& asked);

// "reduce has: in x, out y, sizes rows and cols, kind (sum, max)"
std::string describe_op(const Contract& contract);

// The dimensions that the op's tensors name, in their order.
std::vector<const Dim*> dims_of(const Contract& contract);

}  // namespace warpath::cli
