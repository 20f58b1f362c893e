#pragma once

// Operands of wgmma in shared memory: the tile behind a descriptor, in chunks of 16 bytes.

#include <simt/self.h>
#include <simt/tensor_map.h>
#include <simt/wgmma.h>

#include "tools/check_hooks.h"

namespace simt {

// Rows are along M or N. Not turned, a row's 32 bytes lie in two chunks; turned, 8 rows of one k
// lie in a chunk.
struct Operand {
  const char* start;
  std::uintptr_t leading, stride;  // bytes from one group of chunks to the next
  unsigned swizzle;                // as in TensorMap
  unsigned phase;                  // line of the pattern at which it starts
  unsigned first;                  // row
  bool turned;
  Element element;

  const char* chunk(unsigned outer, unsigned inner) const;
};

Operand operand_of(std::uint64_t descriptor, Element element, bool turned, unsigned rows,
                   unsigned first_row, Site site);

unsigned depth_of(Element element);  // K

// Elements as numbers: floats, or integers for s8 and u8.
void widen(float* to, const unsigned char* from, unsigned count, Element element);

// to[row][k], and to[k][row].
void read_rows(const Operand& operand, unsigned rows, unsigned k, float* to, const void* pc,
               std::uint64_t since);
void read_columns(const Operand& operand, unsigned rows, unsigned k, float* to, const void* pc,
                  std::uint64_t since);

// The product is asked for by this warp: its operands may be read from now on.
void tell_operands(const Product& product, unsigned warp, Site site, const void* pc);

}  // namespace simt
