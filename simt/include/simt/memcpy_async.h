#pragma once

// What the forms of cuda::memcpy_async share.

#include <cstddef>

namespace cuda {

// A number of bytes; pointers and size are multiples of the alignment.
template <::std::size_t Alignment>
struct aligned_size_t {
  static_assert(Alignment > 0 && (Alignment & (Alignment - 1)) == 0,
                "an alignment is a power of two");
  static constexpr ::std::size_t align = Alignment;

  ::std::size_t value;

  explicit constexpr aligned_size_t(::std::size_t size) : value(size) {}
  constexpr operator ::std::size_t() const { return value; }
};

enum class async_contract_fulfillment { none, async };

}  // namespace cuda

namespace simt {

template <class Size>
std::size_t byte_count(const Size& size) {
  return static_cast<std::size_t>(size);
}

// Gives each thread of a group one run of whole 16-byte pieces.
template <class Group, class Copy>
void each_share(const Group& group, void* to, const void* from, std::size_t bytes,
                const Copy& copy) {
  const std::size_t threads = group.size();
  const std::size_t each = ((bytes + threads - 1) / threads + 15) / 16 * 16;
  const std::size_t first = each * group.thread_rank();
  if (first >= bytes) return;
  copy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first,
       bytes - first < each ? bytes - first : each);
}

}  // namespace simt
