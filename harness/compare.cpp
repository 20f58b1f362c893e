#include "harness/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/host/parallel.h"
#include "harness/convert.h"

namespace warpath::harness {
namespace {

constexpr std::int64_t grain = 1 << 14;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_scale = std::numeric_limits<double>::quiet_NaN();

struct Judged {
  double error, allowed, ratio;
};

struct Judge {
  DType dtype;
  Tolerance tolerance;
  UlpOf ulps;
  double overflow;  // from here on, values round to infinity
  bool exact;

  explicit Judge(const Expected& e)
      : dtype(e.dtype),
        tolerance(e.tolerance),
        ulps(e.dtype),
        overflow(largest(e.dtype) + ulp(largest(e.dtype), e.dtype) / 2),
        exact(!is_float(e.dtype) || (e.tolerance.out_ulps == 0 && e.tolerance.f32_ulps == 0)) {}

  double bound(double reference, double scale) const {
    if (exact) return 0;
    // An infinite scale would accept anything.
    const double measure = std::isfinite(scale) ? std::abs(scale) : std::abs(reference);
    const double b = tolerance.out_ulps * ulps(reference) + tolerance.f32_ulps * 0x1p-23 * measure;
    return std::max(b, static_cast<double>(std::numeric_limits<float>::min()));
  }

  static Judged wrong() { return {infinity, 0, infinity}; }

  Judged operator()(double got, double reference, double scale) const {
    if (exact && got == reference) return {0, 0, 0};  // most elements, and the fast path
    if (std::isnan(reference)) return std::isnan(got) ? Judged{0, 0, 0} : wrong();
    if (std::isnan(got)) return wrong();
    if (std::isinf(reference)) return got == reference ? Judged{0, 0, 0} : wrong();
    const double allowed = bound(reference, scale);
    if (std::isinf(got)) {
      const bool same_side = (got > 0) == (reference > 0);
      return is_float(dtype) && same_side && std::abs(reference) + allowed >= overflow
                 ? Judged{0, allowed, 0}
                 : wrong();
    }
    const double target = exact ? round_to(reference, dtype) : reference;
    if (std::isinf(target)) return wrong();  // equality is required, and the answer is infinity
    const double error = std::abs(got - target);
    if (error == 0) return {0, allowed, 0};
    return {error, allowed, allowed > 0 ? error / allowed : infinity};
  }
};

// The worst element, and how many are out of bounds. Merging gives the same result in any order.
struct Tally {
  Judged worst{0, 0, -1};
  double largest = 0;
  std::int64_t index = -1;
  std::int64_t bad = 0;
  std::int64_t judged = 0;

  void add(const Judged& j, std::int64_t i) {
    if (j.ratio > 1) ++bad;
    largest = std::max(largest, j.error);
    if (j.ratio > worst.ratio || (j.ratio == worst.ratio && i < index)) {
      worst = j;
      index = i;
    }
  }
  void merge(const Tally& t) {
    const std::int64_t both = bad + t.bad;
    largest = std::max(largest, t.largest);
    if (t.index >= 0) add(t.worst, t.index);
    bad = both;
    judged += t.judged;
  }
};

// Of elements 0 to n: f(begin, end, mine) adds those of a range, on any thread.
template <class F>
Tally tally_all(std::int64_t n, F&& f) {
  Tally total;
  std::mutex lock;
  parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    Tally mine;
    f(begin, end, mine);
    const std::lock_guard hold(lock);
    total.merge(mine);
  });
  return total;
}

std::string number(double x) {
  return std::isnan(x) ? "nan" : fmt::format("{:.9g}", x);
}

Verdict verdict(const Tally& t, std::int64_t n) {
  Verdict v;
  v.passed = t.bad == 0;
  v.bad = t.bad;
  v.index = t.index;
  v.largest = t.largest;
  v.judged = t.judged;
  v.elements = n;
  if (t.index >= 0) {
    v.error = t.worst.error;
    v.allowed = t.worst.allowed;
    v.ratio = std::max(t.worst.ratio, 0.0);
  }
  if (!v.passed) v.reason = fmt::format("{} of {} elements wrong", t.bad, n);
  return v;
}

std::int64_t count(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  return n;
}

}  // namespace

std::string element_name(const std::string& name, const std::vector<std::int64_t>& shape,
                         std::int64_t index) {
  std::string inside;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::int64_t d = std::max<std::int64_t>(shape[i], 1);
    inside = std::to_string(index % d) + (inside.empty() ? "" : ",") + inside;
    index /= d;
  }
  return inside.empty() ? name : name + "[" + inside + "]";
}

Verdict compare(const Expected& e, const void* got) {
  const Judge judge(e);
  const std::int64_t n = count(e.shape);
  const auto element_bytes = static_cast<std::int64_t>(size_of(e.dtype));
  const Tally total = tally_all(n, [&](std::int64_t begin, std::int64_t end, Tally& mine) {
    std::vector<double> values(static_cast<std::size_t>(end - begin));
    decode(static_cast<const char*>(got) + begin * element_bytes, e.dtype, values.data(),
           end - begin);
    for (std::int64_t i = begin; i < end; ++i) {
      const double value = values[static_cast<std::size_t>(i - begin)];
      const double scale = e.scale ? e.scale[i] : no_scale;
      if (scale != not_judged) {
        ++mine.judged;
        mine.add(judge(value, e.reference[i], scale), i);
      } else if (!std::isfinite(value)) {
        mine.add(Judge::wrong(), i);
      }
    }
  });

  Verdict v = verdict(total, n);
  if (v.passed) return v;
  double value = 0;
  decode(static_cast<const char*>(got) + v.index * element_bytes, e.dtype, &value, 1);
  const std::string where = element_name(e.name, e.shape, v.index);
  const double reference = e.reference[v.index];
  if (e.scale && e.scale[v.index] == not_judged) {
    v.reason =
        fmt::format("{} is {}, expected a finite number; {}", where, number(value), v.reason);
    return v;
  }
  const std::string expected = number(is_float(e.dtype) ? round_to(reference, e.dtype) : reference);
  if (std::isfinite(v.error))
    v.reason = fmt::format("{} is {}, expected {} (error {:.3g}, allowed {:.3g}); {}", where,
                           number(value), expected, v.error, v.allowed, v.reason);
  else
    v.reason = fmt::format("{} is {}, expected {}; {}", where, number(value), expected, v.reason);
  return v;
}

Verdict compare_index(const std::string& name, DType dtype, const std::vector<std::int64_t>& shape,
                      const std::int64_t* reference, const void* got) {
  const std::int64_t n = count(shape);
  const auto element_bytes = static_cast<std::int64_t>(size_of(dtype));
  const Tally total = tally_all(n, [&](std::int64_t begin, std::int64_t end, Tally& mine) {
    std::vector<std::int64_t> values(static_cast<std::size_t>(end - begin));
    decode_index(static_cast<const char*>(got) + begin * element_bytes, dtype, values.data(),
                 end - begin);
    for (std::int64_t i = begin; i < end; ++i) {
      const bool same = values[static_cast<std::size_t>(i - begin)] == reference[i];
      mine.add(same ? Judged{0, 0, 0} : Judge::wrong(), i);
    }
    mine.judged = end - begin;
  });
  Verdict v = verdict(total, n);
  if (v.passed) return v;
  std::int64_t value = 0;
  decode_index(static_cast<const char*>(got) + v.index * element_bytes, dtype, &value, 1);
  v.reason = fmt::format("{} is {}, expected {}; {}", element_name(name, shape, v.index), value,
                         reference[v.index], v.reason);
  return v;
}

}  // namespace warpath::harness
