// NF4 with double quantisation, the format of QLoRA and of bitsandbytes' 4-bit files:
//   codes   four bits per weight, an index into sixteen values that are quantiles of a normal distribution; two per byte,
//           the first of a pair in the high half
//   absmax  per block of 64 consecutive weights: its largest magnitude, as an index into a map of 256 values
//   scales  per group of 256 consecutive blocks: what that map is multiplied by; the last group may be shorter
//   offset  the mean of all blocks' largest magnitudes
//   weight = values[code] * (map[absmax] * scale + offset)
// That is 4 + 8 / 64 + 32 / 16384 = 4.127 bits per weight.
#pragma once
#include <cstdint>

namespace warpath::nf4 {

inline constexpr int block = 64;   // weights with one absmax
inline constexpr int group = 256;  // blocks with one scale

struct Values {
  float at[16];
};
inline constexpr Values values = {
    {-1.0f, -0.6961928009986877f, -0.5250730514526367f, -0.39491748809814453f,
     -0.28444138169288635f, -0.18477343022823334f, -0.09105003625154495f, 0.0f,
     0.07958029955625534f, 0.16093020141124725f, 0.24611230194568634f, 0.33791524171829224f,
     0.44070982933044434f, 0.5626170039176941f, 0.7229568362236023f, 1.0f}};

// Eight bits for a number from -1 to 1: seven decades, each with twice as many steps as the one below it, so that the
// relative error is much the same over four orders of magnitude. Sorted.
struct Map {
  float at[256];
};
constexpr Map make_map() {
  Map map{};
  map.at[255] = 1;  // and at[127] is 0
  constexpr double powers[] = {1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1};
  for (int i = 0, first = 0; i < 7; first += 1 << i++) {
    const int steps = 1 << i;  // between 0.1 and 1, in float
    const float step = (1.0f - 0.1f) / static_cast<float>(steps);
    const auto edge = [&](int s) {
      const bool lower = s < (steps + 1) / 2;  // each half from its own end, rounded once
      return static_cast<float>(lower ? double(0.1f) + double(step) * s
                                      : 1.0 - double(step) * (steps - s));
    };
    for (int s = 0; s < steps; ++s) {
      const float middle = (edge(s) + edge(s + 1)) / 2;
      const auto value = static_cast<float>(powers[i] * static_cast<double>(middle));
      map.at[128 + first + s] = value;
      map.at[126 - first - s] = -value;
    }
  }
  return map;
}
inline constexpr Map map = make_map();

constexpr std::int64_t groups_of(std::int64_t blocks) {
  return (blocks + group - 1) / group;
}

}  // namespace warpath::nf4
