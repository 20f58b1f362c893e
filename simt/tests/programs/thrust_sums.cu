// Thrust's reductions, scans, transformations and differences in every style of call (thrust_styles.h), with and without an
// initial value and an operator.
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/logical.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>

#include "thrust_styles.h"

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};

// Takes whatever an algorithm passes, so it must be passed elements, not the host's references to them.
struct Range {
  int low, high;
};
struct Join {
  template <class A, class B>
  __host__ __device__ A operator()(const A& a, const B& b) const {
    return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
  }
};
struct Shorter {
  template <class A>
  __host__ __device__ bool operator()(const A& a, const A& b) const {
    return a.high - a.low < b.high - b.low;
  }
};
constexpr int n = 40;

void structures() {
  thrust::device_vector<Range> v(n);
  for (int i = 0; i < n; ++i) v[i] = Range{i * 7 % n, i * 7 % n + i};
  const Range all = thrust::reduce(v.begin(), v.end(), Range{1000, -1000}, Join());
  expect("reduce of structures", all.low * 1000 + all.high, 72);
  expect("max_element of structures",
         thrust::max_element(v.begin(), v.end(), Shorter()) - v.begin(), 39);
  thrust::inclusive_scan(v.begin(), v.end(), v.begin(), Join());
  const Range last = v[n - 1];
  expect("inclusive_scan of structures", last.low * 1000 + last.high, all.low * 1000 + all.high);
}

template <class Style>
void sums(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d), last = Style::in(d) + n;
  expect("reduce", CALL(reduce, first, last), std::accumulate(h.begin(), h.end(), 0));
  expect("reduce init", CALL(reduce, first, last, -5), std::accumulate(h.begin(), h.end(), -5));
  expect("reduce maximum", CALL(reduce, first, last, 2, thrust::maximum<int>()),
         std::max(2, *std::max_element(h.begin(), h.end())));
  expect("reduce double", CALL(reduce, first, last, 0.5), std::accumulate(h.begin(), h.end(), 0.5));
  int squares = 0;
  for (const int v : h) squares += v * v;
  expect("transform_reduce", CALL(transform_reduce, first, last, Square(), 3, thrust::plus<int>()),
         3 + squares);
  expect("inner_product", CALL(inner_product, first, last, first, 1), 1 + squares);
  expect("inner_product of operators",
         CALL(inner_product, first, last, first, 0, thrust::plus<int>(), thrust::minus<int>()), 0);
  expect("count", CALL(count, first, last, h[3]), std::count(h.begin(), h.end(), h[3]));
  expect("count_if", CALL(count_if, first, last, IsOdd()),
         std::count_if(h.begin(), h.end(), IsOdd()));
  expect("min_element", CALL(min_element, first, last) - first,
         std::min_element(h.begin(), h.end()) - h.begin());
  expect("max_element", CALL(max_element, first, last) - first,
         std::max_element(h.begin(), h.end()) - h.begin());
  expect("max_element greater", CALL(max_element, first, last, thrust::greater<int>()) - first,
         std::min_element(h.begin(), h.end()) - h.begin());
  const auto both = CALL(minmax_element, first, last);
  expect("minmax_element", d[both.second - first] - d[both.first - first],
         *std::max_element(h.begin(), h.end()) - *std::min_element(h.begin(), h.end()));
  expect("all_of", CALL(all_of, first, last, IsOdd()), 0);
  expect("any_of", CALL(any_of, first, last, IsOdd()), 1);
  expect("none_of", CALL(none_of, first, last, IsOdd()), 0);
}

template <class Style>
void scans(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d), last = Style::in(d) + n;
  thrust::device_vector<int> out(n);
  std::vector<int> want(n);
  std::partial_sum(h.begin(), h.end(), want.begin());
  CALL(inclusive_scan, first, last, Style::out(out));
  expect("inclusive_scan", out, want);
  std::exclusive_scan(h.begin(), h.end(), want.begin(), 0);
  CALL(exclusive_scan, first, last, Style::out(out));
  expect("exclusive_scan", out, want);
  std::exclusive_scan(h.begin(), h.end(), want.begin(), 7);
  CALL(exclusive_scan, first, last, Style::out(out), 7);
  expect("exclusive_scan init", out, want);
  const auto larger = [](int a, int b) { return std::max(a, b); };
  std::exclusive_scan(h.begin(), h.end(), want.begin(), -9, larger);
  CALL(exclusive_scan, first, last, Style::out(out), -9, thrust::maximum<int>());
  expect("exclusive_scan maximum", out, want);
  std::inclusive_scan(h.begin(), h.end(), want.begin(), larger);
  CALL(inclusive_scan, first, last, Style::out(out), thrust::maximum<int>());
  expect("inclusive_scan maximum", out, want);
  std::transform_inclusive_scan(h.begin(), h.end(), want.begin(), std::plus<int>(), Square());
  CALL(transform_inclusive_scan, first, last, Style::out(out), Square(), thrust::plus<int>());
  expect("transform_inclusive_scan", out, want);
  std::transform_exclusive_scan(h.begin(), h.end(), want.begin(), 4, std::plus<int>(), Square());
  CALL(transform_exclusive_scan, first, last, Style::out(out), Square(), 4, thrust::plus<int>());
  expect("transform_exclusive_scan", out, want);
  // In place.
  out = h;
  std::partial_sum(h.begin(), h.end(), want.begin());
  CALL(inclusive_scan, Style::out(out), Style::out(out) + n, Style::out(out));
  expect("inclusive_scan in place", out, want);
  std::exclusive_scan(h.begin(), h.end(), want.begin(), 0);
  out = h;
  CALL(exclusive_scan, Style::out(out), Style::out(out) + n, Style::out(out));
  expect("exclusive_scan in place", out, want);
}

template <class Style>
void keys(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d);
  std::vector<int> key(n), ends, totals, inclusive(n), exclusive(n);
  for (int i = 0; i < n; ++i) {
    key[i] = i * i / 100 - 3;
    const bool starts = i == 0 || key[i] != key[i - 1];
    if (starts) {
      ends.push_back(key[i]);
      totals.push_back(0);
    }
    exclusive[i] = starts ? 0 : inclusive[i - 1];
    inclusive[i] = exclusive[i] + h[i];
    totals.back() = inclusive[i];
  }
  const thrust::device_vector<int> dkey = key;
  thrust::device_vector<int> out(n), out_keys(n);
  CALL(inclusive_scan_by_key, Style::in(dkey), Style::in(dkey) + n, first, Style::out(out));
  expect("inclusive_scan_by_key", out, inclusive);
  CALL(exclusive_scan_by_key, Style::in(dkey), Style::in(dkey) + n, first, Style::out(out));
  expect("exclusive_scan_by_key", out, exclusive);
  for (int& value : exclusive) value += 100;
  CALL(exclusive_scan_by_key, Style::in(dkey), Style::in(dkey) + n, first, Style::out(out), 100);
  expect("exclusive_scan_by_key init", out, exclusive);
  const auto end = CALL(reduce_by_key, Style::in(dkey), Style::in(dkey) + n, first,
                        Style::out(out_keys), Style::out(out));
  out_keys.resize(end.first - Style::out(out_keys));
  out.resize(end.second - Style::out(out));
  expect("reduce_by_key keys", out_keys, ends);
  expect("reduce_by_key", out, totals);
}

template <class Style>
void values(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d), last = Style::in(d) + n;
  thrust::device_vector<int> out(n);
  std::vector<int> want(n);
  std::adjacent_difference(h.begin(), h.end(), want.begin());
  CALL(adjacent_difference, first, last, Style::out(out));
  expect("adjacent_difference", out, want);
  std::adjacent_difference(h.begin(), h.end(), want.begin(), std::plus<int>());
  CALL(adjacent_difference, first, last, Style::out(out), thrust::plus<int>());
  expect("adjacent_difference plus", out, want);
  std::transform(h.begin(), h.end(), want.begin(), Square());
  CALL(transform, first, last, Style::out(out), Square());
  expect("transform", out, want);
  std::transform(h.begin(), h.end(), want.begin(), want.begin(), std::minus<int>());
  CALL(transform, first, last, Style::in(out), Style::out(out), thrust::minus<int>());
  expect("transform of two", out, want);
  std::fill(want.begin(), want.end(), -6);
  CALL(fill, Style::out(out), Style::out(out) + n, -6);
  expect("fill", out, want);
  std::iota(want.begin(), want.end(), 0);
  CALL(sequence, Style::out(out), Style::out(out) + n);
  expect("sequence", out, want);
  std::iota(want.begin(), want.end(), -17);
  CALL(sequence, Style::out(out), Style::out(out) + n, -17);
  expect("sequence init", out, want);
  for (int i = 0; i < n; ++i) want[i] = 10 - 3 * i;
  CALL(sequence, Style::out(out), Style::out(out) + n, 10, -3);
  expect("sequence step", out, want);
}

template <class Style>
void all() {
  const std::vector<int> h = mixed<int>(n);
  const thrust::device_vector<int> d = h;
  sums<Style>(h, d);
  scans<Style>(h, d);
  keys<Style>(h, d);
  values<Style>(h, d);
  done<Style>();
}

int main() {
  structures();
  all<RawPointers>();
  all<DevicePointers>();
  all<OnStream>();
  return 0;
}
