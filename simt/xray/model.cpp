#include "model.h"

#include <algorithm>

namespace simt::xray {
namespace {

// The addresses of the lanes in the mask, packed.
unsigned packed(const WarpAccess& access, std::uint64_t* into) {
  unsigned n = 0;
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1)
    into[n++] = access.address[static_cast<unsigned>(__builtin_ctz(m))];
  return n;
}

bool is_sorted(const std::uint64_t* a, unsigned n) {
  for (unsigned i = 1; i < n; ++i)
    if (a[i] < a[i - 1]) return false;
  return true;
}

}  // namespace

void count_sectors(const WarpAccess& access, Sectors& into) {
  into.count = into.least = 0;
  std::uint64_t a[lanes_of_warp];
  const unsigned n = packed(access, a);
  if (n == 0) return;
  if (!is_sorted(a, n)) std::sort(a, a + n);
  std::uint64_t bytes = 0, covered = 0, last = ~std::uint64_t{0};
  for (unsigned i = 0; i < n; ++i) {
    const std::uint64_t begin = a[i], end = a[i] + access.size;
    bytes += end > covered ? end - std::max(begin, covered) : 0;
    covered = std::max(covered, end);
    for (std::uint64_t s = begin / sector_bytes; s <= (end - 1) / sector_bytes; ++s) {
      if (last != ~std::uint64_t{0} && s <= last) continue;
      if (into.count == into.number.size()) break;
      into.number[into.count++] = last = s;
    }
  }
  into.least = static_cast<unsigned>((bytes + sector_bytes - 1) / sector_bytes);
}

namespace {

// Of the lanes that are served together: the words of the fullest bank, and what they would take spread evenly.
Wavefronts wavefronts_of(const WarpAccess& access, std::uint32_t mask) {
  const unsigned words = std::max(1u, access.size / 4);
  std::uint64_t all[lanes_of_warp * 4];
  unsigned n = 0;
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const std::uint64_t first = access.address[static_cast<unsigned>(__builtin_ctz(m))] / 4;
    for (unsigned w = 0; w < words && n < std::size(all); ++w) all[n++] = first + w;
  }
  if (n == 0) return {};
  if (!is_sorted(all, n)) std::sort(all, all + n);
  const auto end = std::unique(all, all + n);
  unsigned in_bank[banks] = {};
  Wavefronts result;
  for (const auto* word = all; word != end; ++word)
    result.count = std::max(result.count, ++in_bank[*word % banks]);
  result.least = static_cast<unsigned>((end - all + banks - 1) / banks);
  return result;
}

}  // namespace

namespace {

// Whether lanes `apart` of each other, of those in the mask, want the same.
bool pairs_agree(const WarpAccess& access, std::uint32_t mask, unsigned apart) {
  for (std::uint32_t m = mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(m)), other = lane ^ apart;
    if ((mask >> other & 1u) != 0 && access.address[lane] != access.address[other]) return false;
  }
  return true;
}

// The two halves of `mask` one after the other, or together where neighbours, or lanes two apart, want the same.
Wavefronts in_halves(const WarpAccess& access, std::uint32_t low, std::uint32_t high) {
  const std::uint32_t mask = access.mask & (low | high);
  if (pairs_agree(access, mask, 1) || pairs_agree(access, mask, 2))
    return wavefronts_of(access, mask);
  const Wavefronts a = wavefronts_of(access, mask & low), b = wavefronts_of(access, mask & high);
  return {a.count + b.count, a.least + b.least};
}

}  // namespace

// 8 bytes per lane are served half a warp at a time, 16 bytes a quarter. What an H200 does with lanes that want the
// same is held by tests/xray.
Wavefronts count_wavefronts(const WarpAccess& access) {
  if (access.size < 8) return wavefronts_of(access, access.mask);
  if (access.size < 16) return in_halves(access, 0xffffu, 0xffff0000u);
  const Wavefronts low = in_halves(access, 0xffu, 0xff00u),
                   high = in_halves(access, 0xff0000u, 0xff000000u);
  return {low.count + high.count, low.least + high.least};
}

unsigned count_atomic_sectors(const WarpAccess& access) {
  std::uint64_t left[lanes_of_warp];
  unsigned n = packed(access, left), total = 0;
  std::sort(left, left + n);
  // Each round serves one lane of each address.
  while (n != 0) {
    unsigned kept = 0;
    std::uint64_t last_sector = ~std::uint64_t{0}, last = ~std::uint64_t{0};
    for (unsigned i = 0; i < n; ++i) {
      if (left[i] == last) {
        left[kept++] = left[i];
        continue;
      }
      last = left[i];
      if (last / sector_bytes != last_sector) ++total;
      last_sector = last / sector_bytes;
    }
    n = kept;
  }
  return total;
}

unsigned most_on_one_address(const WarpAccess& access) {
  std::uint64_t a[lanes_of_warp];
  const unsigned n = packed(access, a);
  std::sort(a, a + n);
  unsigned most = 0, run = 0;
  for (unsigned i = 0; i < n; ++i) {
    run = i > 0 && a[i] == a[i - 1] ? run + 1 : 1;
    most = std::max(most, run);
  }
  return most;
}

unsigned count_addresses(const WarpAccess& access) {
  std::uint64_t a[lanes_of_warp];
  const unsigned n = packed(access, a);
  std::sort(a, a + n);
  return static_cast<unsigned>(std::unique(a, a + n) - a);
}

void count_local_sectors(const WarpAccess& access, unsigned& count, unsigned& least) {
  constexpr std::uint64_t lanes_per_sector = sector_bytes / 4;
  std::uint64_t all[lanes_of_warp * 5];
  unsigned n = 0, lanes = 0;
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(m));
    const std::uint64_t first = access.address[lane] / 4,
                        last = (access.address[lane] + access.size - 1) / 4;
    ++lanes;
    for (std::uint64_t word = first; word <= last && n < std::size(all); ++word)
      all[n++] = word * (lanes_of_warp / lanes_per_sector) + lane / lanes_per_sector;
  }
  std::sort(all, all + n);
  count = static_cast<unsigned>(std::unique(all, all + n) - all);
  least = (lanes * access.size + sector_bytes - 1) / sector_bytes;
}

std::int64_t stride_of(const WarpAccess& access) {
  std::int64_t stride = no_stride;
  int before = -1;
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const int lane = __builtin_ctz(m);
    if (before >= 0) {
      const auto apart = static_cast<std::int64_t>(access.address[static_cast<unsigned>(lane)] -
                                                   access.address[static_cast<unsigned>(before)]);
      if (apart % (lane - before) != 0) return no_stride;
      const std::int64_t here = apart / (lane - before);
      if (stride != no_stride && here != stride) return no_stride;
      stride = here;
    }
    before = lane;
  }
  return stride;
}

}  // namespace simt::xray
