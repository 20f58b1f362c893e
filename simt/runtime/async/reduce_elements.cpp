// Reductions in memory, of the types that bulk copies know.

#include <simt/small_float.h>
#include <simt/tensor_map.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace simt {
namespace {

// How a type is kept, and computed with.
template <Element E>
struct Kept;
#define SIMT_KEPT(ELEMENT, BITS, VALUE) \
  template <>                           \
  struct Kept<Element::ELEMENT> {       \
    using Bits = BITS;                  \
    using Value = VALUE;                \
  };
SIMT_KEPT(u32, std::uint32_t, std::uint32_t)
SIMT_KEPT(s32, std::uint32_t, std::int32_t)
SIMT_KEPT(u64, std::uint64_t, std::uint64_t)
SIMT_KEPT(s64, std::uint64_t, std::int64_t)
SIMT_KEPT(f32, std::uint32_t, float)
SIMT_KEPT(f64, std::uint64_t, double)
SIMT_KEPT(f16, std::uint16_t, float)
SIMT_KEPT(bf16, std::uint16_t, float)
#undef SIMT_KEPT

template <Element E>
typename Kept<E>::Value value_of(typename Kept<E>::Bits bits) {
  if constexpr (E == Element::f16) return half_to_float(bits);
  if constexpr (E == Element::bf16) return bfloat16_to_float(bits);
  typename Kept<E>::Value value;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

template <Element E>
typename Kept<E>::Bits bits_of(typename Kept<E>::Value value) {
  if constexpr (E == Element::f16) return float_to_half(value);
  if constexpr (E == Element::bf16) return float_to_bfloat16(value);
  typename Kept<E>::Bits bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

template <class T>
T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmin(a, b);
  return std::min(a, b);
}
template <class T>
T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmax(a, b);
  return std::max(a, b);
}

template <Element E>
typename Kept<E>::Bits combine(typename Kept<E>::Bits old_bits, typename Kept<E>::Bits new_bits,
                               Reduction by) {
  using Bits = typename Kept<E>::Bits;
  const auto a = value_of<E>(old_bits), b = value_of<E>(new_bits);
  switch (by) {
    case Reduction::add:
      if constexpr (std::is_integral_v<decltype(a)>) return static_cast<Bits>(old_bits + new_bits);
      return bits_of<E>(a + b);
    case Reduction::min:
      return bits_of<E>(smaller(a, b));
    case Reduction::max:
      return bits_of<E>(larger(a, b));
    case Reduction::bit_and:
      return static_cast<Bits>(old_bits & new_bits);
    case Reduction::bit_or:
      return static_cast<Bits>(old_bits | new_bits);
    case Reduction::bit_xor:
      return static_cast<Bits>(old_bits ^ new_bits);
    case Reduction::inc:
      return static_cast<Bits>(old_bits >= new_bits ? 0 : old_bits + 1);
    case Reduction::dec:
      return static_cast<Bits>(old_bits == 0 || old_bits > new_bits ? new_bits : old_bits - 1);
    case Reduction::none:
      break;
  }
  return new_bits;
}

template <Element E>
void reduce(void* to, const void* from, std::size_t bytes, Reduction by) {
  using Bits = typename Kept<E>::Bits;
  auto* const place = static_cast<Bits*>(to);
  for (std::size_t i = 0; i < bytes / sizeof(Bits); ++i) {
    Bits value;
    std::memcpy(&value, static_cast<const char*>(from) + i * sizeof(Bits), sizeof value);
    Bits old_bits = __atomic_load_n(place + i, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place + i, &old_bits, combine<E>(old_bits, value, by), true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }
}

}  // namespace

void reduce_elements(void* to, const void* from, std::size_t bytes, Reduced how) {
  switch (how.element) {
    case Element::s32:
      return reduce<Element::s32>(to, from, bytes, how.by);
    case Element::u64:
      return reduce<Element::u64>(to, from, bytes, how.by);
    case Element::s64:
      return reduce<Element::s64>(to, from, bytes, how.by);
    case Element::f16:
      return reduce<Element::f16>(to, from, bytes, how.by);
    case Element::bf16:
      return reduce<Element::bf16>(to, from, bytes, how.by);
    case Element::f64:
      return reduce<Element::f64>(to, from, bytes, how.by);
    case Element::f32:
    case Element::f32_ftz:
    case Element::tf32:
    case Element::tf32_ftz:
      return reduce<Element::f32>(to, from, bytes, how.by);
    default:
      return reduce<Element::u32>(to, from, bytes, how.by);
  }
}

}  // namespace simt
