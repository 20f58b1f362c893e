#include "tensor_core/wgmma_operand.h"

#include <simt/fault.h>
#include <simt/matrix_multiply.h>
#include <simt/shared.h>

#include <cstring>

#include "async/tell_checks.h"
#include "scheduler/block.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "tensor_core/tensor_core.h"

namespace simt {
namespace {

constexpr std::size_t window = std::size_t{1} << 18;  // bytes that a descriptor can name

// A descriptor's 18 bits of address. Shared memory is a little larger here: what lies past the
// window has the number of something static, and is taken for the former if there is so much.
const char* at_window(std::size_t offset) {
  const Block& block = current_block();
  const std::size_t end = arena_static_room + block.grid->config.dynamic_shared;
  return block.static_shared + (offset + window < end ? offset + window : offset);
}

template <class Visit>
void for_each_chunk(const Operand& o, unsigned rows, unsigned k, AsyncEvent event, const void* pc,
                    std::uint64_t since, const Visit& visit) {
  const unsigned outer = o.turned ? k : rows;
  const unsigned inner = o.turned ? rows / 8 : 2;
  for (unsigned i = 0; i < outer; ++i) {
    for (unsigned j = 0; j < inner; ++j) {
      const char* const chunk = o.turned ? o.chunk(i, o.first / 8 + j) : o.chunk(o.first + i, j);
      tell_async(event, chunk, 16, pc, since);
      visit(i, j, chunk);
    }
  }
}

}  // namespace

const char* Operand::chunk(unsigned outer, unsigned inner) const {
  const std::uintptr_t span = std::uintptr_t{16} << swizzle;
  auto at = reinterpret_cast<std::uintptr_t>(start);
  if (!turned) {
    at += outer / 8 * stride + outer % 8 * span;
    at += swizzle == 0 ? inner * leading : inner * 16;
  } else if (swizzle == 0) {
    at += inner * stride + outer / 8 * leading + outer % 8 * 16;
  } else {
    const unsigned chunks = 1u << swizzle;
    at += inner % chunks * 16 + inner / chunks * leading + outer % 8 * span + outer / 8 * stride;
  }
  if (swizzle == 0) return reinterpret_cast<const char*>(at);
  const std::uintptr_t line = ((at >> 7) - phase) & ((std::uintptr_t{1} << swizzle) - 1);
  return reinterpret_cast<const char*>(at ^ line << 4);
}

Operand operand_of(std::uint64_t descriptor, Element element, bool turned, unsigned rows,
                   unsigned first_row, Site site) {
  const auto field = [&](unsigned bit, unsigned count) {
    return static_cast<std::size_t>(descriptor >> bit & ((1u << count) - 1));
  };
  static constexpr unsigned swizzles[] = {0, 3, 2, 1};  // 128, 64 and 32 bytes
  Operand o;
  o.start = at_window(field(0, 14) << 4);
  o.leading = field(16, 14) << 4;
  o.stride = field(32, 14) << 4;
  o.swizzle = swizzles[field(62, 2)];
  o.phase = static_cast<unsigned>(field(49, 3));
  o.first = first_row;
  o.turned = turned;
  o.element = element;
  // All of it must lie in shared memory.
  const unsigned last = depth_of(element) - 1;
  const char* const ends[] = {o.chunk(0, 0),
                              turned ? o.chunk(last, rows / 8 - 1) : o.chunk(rows - 1, 1)};
  for (const char* end : ends) {
    if (is_shared(end)) continue;
    fault(cudaErrorIllegalAddress, "wgmma: a descriptor that leads out of shared memory", site);
  }
  return o;
}

unsigned depth_of(Element element) {
  return 32 / static_cast<unsigned>(element_size(element));
}

void widen(float* to, const unsigned char* from, unsigned count, Element element) {
  switch (element) {
    case Element::f16:
    case Element::bf16: {
      unsigned short halves[8];
      std::memcpy(halves, from, 2 * count);
      return widen_halves(to, halves, count, element);
    }
    case Element::s8:
    case Element::u8:
      for (unsigned i = 0; i < count; ++i) {
        const std::int32_t value =
            element == Element::s8 ? static_cast<signed char>(from[i]) : from[i];
        std::memcpy(to + i, &value, 4);
      }
      return;
    case Element::e4m3:
    case Element::e5m2:
      return widen_bytes(to, from, count, element);
    default:
      std::memcpy(to, from, 4 * count);
      for (unsigned i = 0; i < count; ++i) to[i] = truncate_tf32(to[i]);
  }
}

void read_rows(const Operand& operand, unsigned rows, unsigned k, float* to, const void* pc,
               std::uint64_t since) {
  const unsigned per = k / 2;  // elements of a chunk
  for_each_chunk(operand, rows, k, AsyncEvent::read_ends, pc, since,
                 [&](unsigned i, unsigned j, const char* chunk) {
                   const auto* const bytes = reinterpret_cast<const unsigned char*>(chunk);
                   if (!operand.turned)
                     return widen(to + i * k + j * per, bytes, per, operand.element);
                   float values[8];
                   widen(values, bytes, 8, operand.element);
                   for (unsigned r = 0; r < 8; ++r) to[(j * 8 + r) * k + i] = values[r];
                 });
}

void read_columns(const Operand& operand, unsigned rows, unsigned k, float* to, const void* pc,
                  std::uint64_t since) {
  const unsigned per = k / 2;
  for_each_chunk(operand, rows, k, AsyncEvent::read_ends, pc, since,
                 [&](unsigned i, unsigned j, const char* chunk) {
                   const auto* const bytes = reinterpret_cast<const unsigned char*>(chunk);
                   if (operand.turned)
                     return widen(to + i * rows + j * 8, bytes, 8, operand.element);
                   float values[16];
                   widen(values, bytes, per, operand.element);
                   for (unsigned e = 0; e < per; ++e) to[(j * per + e) * rows + i] = values[e];
                 });
}

void tell_operands(const Product& p, unsigned warp, Site site, const void* pc) {
  const unsigned k = depth_of(p.shape.a);
  const auto nothing = [](unsigned, unsigned, const char*) {};
  for_each_chunk(operand_of(p.b, p.shape.b, p.b_turned, p.shape.n, 0, site), p.shape.n, k,
                 AsyncEvent::read_begins, pc, 0, nothing);
  if (p.a_in_registers) return;
  for_each_chunk(operand_of(p.a, p.shape.a, p.a_turned, 64, warp % 4 * 16, site), 16, k,
                 AsyncEvent::read_begins, pc, 0, nothing);
}

}  // namespace simt
