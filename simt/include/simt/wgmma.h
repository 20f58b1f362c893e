#pragma once

// wgmma: products of a warp group (four warps), D = A * B + D with D in registers, 64 x N, and A, B
// in shared memory behind descriptors (A also in registers). A product runs when the warp waits for
// its group: only then operands are read and registers written.

#include <simt/self.h>
#include <simt/tensor_map.h>

#include <cstdint>

namespace simt {

struct ProductShape {
  unsigned n;
  Element sum, a, b;
  bool saturates;
};

struct Product {
  ProductShape shape;
  bool a_in_registers;
  bool adds;  // D is added, not only written
  bool negate_a, negate_b;
  bool a_turned, b_turned;  // the axis along memory is M or N, not K
  std::uint64_t a, b;       // descriptors
  unsigned a_registers[4];
};

// `places`: of this thread's registers of D.
void wgmma_issue(const Product& product, void* const* places, Site site);
void wgmma_fence(Site site);
void wgmma_commit(Site site);
void wgmma_wait(unsigned newest, Site site);

}  // namespace simt
