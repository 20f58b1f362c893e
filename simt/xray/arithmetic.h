#pragma once

// What this machine's code for a kernel tells, read with objdump: how many instructions the arithmetic of a basic block
// takes, and where the branches are. Empty where objdump is not installed.

#include <map>
#include <vector>

namespace simt::xray {

// Of a basic block: instructions of a warp that a GPU needs for its arithmetic, about. Moves, accesses and jumps are left out.
struct Arithmetic {
  struct Part {  // one instruction of this machine
    const void* after = nullptr;
    double instructions = 0;
  };
  double instructions = 0;
  std::vector<Part> parts;
};

struct CodeFacts {
  std::map<const void*, Arithmetic> arithmetic;  // by the address at which a basic block begins
  // For an address after which lanes may part: what follows the jump at which they do. None where the code has no jump
  // before its next basic block.
  std::map<const void*, const void*> branch;
};

// `at`: the addresses that callbacks return to.
CodeFacts read_code(const std::vector<const void*>& at);

}  // namespace simt::xray
