// Thrust's algorithms over iterators that are no memory: counting, constant, transform, zip, permutation, reverse and discard;
// with raw pointers behind them, with device_ptr, and with a vector's iterators. Expected values are the host's.
#include <thrust/adjacent_difference.h>
#include <thrust/count.h>
#include <thrust/extrema.h>
#include <thrust/for_each.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

#include "thrust_styles.h"

constexpr int n = 40;

struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Product {
  template <class Tuple>
  __host__ __device__ int operator()(const Tuple& t) const {
    return thrust::get<0>(t) * thrust::get<1>(t);
  }
};
struct FirstIsOdd {
  template <class Tuple>
  __host__ __device__ bool operator()(const Tuple& t) const {
    return thrust::get<0>(t) % 2 != 0;
  }
};
// With two elements a template of one type does not compile: a zip iterator's reference is no tuple.
using Pair = thrust::tuple<int, int>;
struct BySecond {
  __host__ __device__ bool operator()(const Pair& a, const Pair& b) const {
    return thrust::get<1>(a) < thrust::get<1>(b);
  }
};
struct LargerSum {
  __host__ __device__ Pair operator()(const Pair& a, const Pair& b) const {
    return thrust::get<0>(a) + thrust::get<1>(a) < thrust::get<0>(b) + thrust::get<1>(b) ? b : a;
  }
};
struct AddTo {
  template <class Tuple>
  __host__ __device__ void operator()(Tuple t) const {
    thrust::get<2>(t) = thrust::get<0>(t) + 2 * thrust::get<1>(t);
  }
};

template <class Style>
void sources(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const thrust::counting_iterator<int> count(3);
  const thrust::constant_iterator<int> four(4);
  const auto squares = thrust::make_transform_iterator(Style::in(d), Square());
  std::vector<int> want(n);
  thrust::device_vector<int> out(n);
  int sum = 0, of_squares = 0, dot = 0;
  for (int i = 0; i < n; ++i) {
    sum += 3 + i;
    of_squares += h[i] * h[i];
    dot += h[i] * (3 + i);
    want[i] = h[i] * 4;
  }
  expect("reduce counting", thrust::reduce(thrust::device, count, count + n), sum);
  expect("reduce constant", thrust::reduce(thrust::device, four, four + n), 4 * n);
  expect("reduce transform", CALL(reduce, squares, squares + n), of_squares);
  expect("reduce transform init", CALL(reduce, squares, squares + n, 7), of_squares + 7);
  expect("inner_product counting", CALL(inner_product, Style::in(d), Style::in(d) + n, count, 0),
         dot);
  CALL(transform, Style::in(d), Style::in(d) + n, four, Style::out(out), thrust::multiplies<int>());
  expect("transform constant", out, want);
  std::partial_sum(h.begin(), h.end(), want.begin(), [](int a, int b) { return a + b * b; });
  for (int i = 0, s = 0; i < n; ++i) want[i] = s += h[i] * h[i];
  CALL(inclusive_scan, squares, squares + n, Style::out(out));
  expect("inclusive_scan transform", out, want);
  for (int i = 0, s = -2; i < n; ++i) {
    want[i] = s;
    s += h[i] * h[i];
  }
  CALL(exclusive_scan, squares, squares + n, Style::out(out), -2);
  expect("exclusive_scan transform init", out, want);
  expect(
      "max_element transform", CALL(max_element, squares, squares + n) - squares,
      std::max_element(h.begin(), h.end(), [](int a, int b) { return a * a < b * b; }) - h.begin());
  expect("count_if counting", thrust::count_if(thrust::device, count, count + n, IsOdd()), n / 2);
  std::vector<int> odd;
  for (int i = 0; i < n; ++i)
    if (h[i] % 2 != 0) odd.push_back(i);
  // Where: places from a counting iterator, by a stencil.
  const auto end = CALL(copy_if, thrust::counting_iterator<int>(0),
                        thrust::counting_iterator<int>(n), Style::in(d), Style::out(out), IsOdd());
  out.resize(end - Style::out(out));
  expect("copy_if counting", out, odd);
}

template <class Style>
void orders(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  std::vector<int> map(n), want(n);
  for (int i = 0; i < n; ++i) map[i] = i * 7 % n;
  const thrust::device_vector<int> dmap = map;
  const auto turned = thrust::make_permutation_iterator(Style::in(d), Style::in(dmap));
  thrust::device_vector<int> out(n);
  for (int i = 0; i < n; ++i) want[i] = h[map[i]] * h[map[i]];
  CALL(transform, turned, turned + n, Style::out(out), Square());
  expect("transform permutation", out, want);
  for (int i = 0, s = 0; i < n; ++i) want[i] = s += h[map[i]];
  CALL(inclusive_scan, turned, turned + n, Style::out(out));
  expect("inclusive_scan permutation", out, want);
  expect("find permutation", CALL(find, turned, turned + n, h[map[9]]) - turned,
         std::find_if(map.begin(), map.end(), [&](int at) { return h[at] == h[map[9]]; }) -
             map.begin());
  // Writes through the map.
  const auto to = thrust::make_permutation_iterator(Style::out(out), Style::in(dmap));
  for (int i = 0; i < n; ++i) want[map[i]] = h[i];
  CALL(copy, Style::in(d), Style::in(d) + n, to);
  expect("copy to permutation", out, want);
  const auto back = thrust::make_reverse_iterator(Style::in(d) + n);
  for (int i = 0, s = 0; i < n; ++i) want[i] = s += h[n - 1 - i];
  CALL(inclusive_scan, back, back + n, Style::out(out));
  expect("inclusive_scan reverse", out, want);
  out = h;
  want = h;
  std::sort(want.rbegin(), want.rend());
  const auto from_end = thrust::make_reverse_iterator(Style::out(out) + n);
  CALL(sort, from_end, from_end + n);
  expect("sort reverse", out, want);
}

template <class Style>
void tuples(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const std::vector<int> g = mixed<int>(n, 9);
  const thrust::device_vector<int> dg = g;
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(Style::in(d), Style::in(dg)));
  int dot = 0;
  for (int i = 0; i < n; ++i) dot += h[i] * g[i];
  expect("transform_reduce zip",
         CALL(transform_reduce, pairs, pairs + n, Product(), 5, thrust::plus<int>()), dot + 5);
  expect("count_if zip", CALL(count_if, pairs, pairs + n, FirstIsOdd()),
         std::count_if(h.begin(), h.end(), IsOdd()));
  thrust::device_vector<int> out(n);
  std::vector<int> want(n);
  const auto three =
      thrust::make_zip_iterator(thrust::make_tuple(Style::in(d), Style::in(dg), Style::out(out)));
  CALL(for_each, three, three + n, AddTo());
  for (int i = 0; i < n; ++i) want[i] = h[i] + 2 * g[i];
  expect("for_each zip", out, want);

  std::vector<std::pair<int, int>> both(n);
  for (int i = 0; i < n; ++i) both[i] = {h[i], g[i]};
  std::stable_sort(both.begin(), both.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  thrust::device_vector<int> a = h, b = g;
  const auto items = thrust::make_zip_iterator(thrust::make_tuple(Style::out(a), Style::out(b)));
  CALL(stable_sort, items, items + n, BySecond());
  for (int i = 0; i < n; ++i) want[i] = both[i].first;
  expect("stable_sort zip", a, want);
  // Pairs of which the first is odd go; a zip iterator's end says how many stay.
  a = h;
  b = g;
  const int left = CALL(remove_if, items, items + n, FirstIsOdd()) - items;
  want.clear();
  for (int i = 0; i < n; ++i)
    if (h[i] % 2 == 0) want.push_back(g[i]);
  b.resize(left);
  expect("remove_if zip", b, want);
  a.resize(n);
  b.resize(n);
  const auto kept = thrust::make_zip_iterator(thrust::make_tuple(Style::out(a), Style::out(b)));
  CALL(inclusive_scan, pairs, pairs + n, kept, LargerSum());
  int best = 0, last = 0;
  for (int i = 0; i < n; ++i) {
    best = h[best] + g[best] < h[i] + g[i] ? i : best;
    last = g[last] < g[i] ? i : last;
  }
  want = {h[best]};
  expect("inclusive_scan zip", thrust::device_vector<int>(a.end() - 1, a.end()), want);
  expect("max_element zip", CALL(max_element, pairs, pairs + n, BySecond()) - pairs, last);
  expect("is_sorted zip", CALL(is_sorted, pairs, pairs + n, BySecond()), 0);
  // Runs of equal pairs.
  std::vector<int> low(n), high(n);
  for (int i = 0; i < n; ++i) {
    low[i] = i / 3;
    high[i] = i / 6 * 2;
  }
  a = low;
  b = high;
  const auto runs = thrust::make_zip_iterator(thrust::make_tuple(Style::out(a), Style::out(b)));
  b.resize(n);
  expect("unique zip", CALL(unique, runs, runs + n) - runs, (n + 2) / 3);
}

template <class Style>
void discards(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  std::vector<int> keys(n), totals, ones;
  for (int i = 0; i < n; ++i) {
    keys[i] = i * i / 150;
    if (i == 0 || keys[i] != keys[i - 1]) totals.push_back(0), ones.push_back(0);
    totals.back() += h[i];
    ++ones.back();
  }
  const thrust::device_vector<int> dkeys = keys;
  thrust::device_vector<int> out(n);
  const auto ends = CALL(reduce_by_key, Style::in(dkeys), Style::in(dkeys) + n, Style::in(d),
                         thrust::make_discard_iterator(), Style::out(out));
  out.resize(ends.second - Style::out(out));
  expect("reduce_by_key discard", out, totals);
  out.resize(n);
  // Lengths of runs: one for each element.
  const auto lengths =
      CALL(reduce_by_key, Style::in(dkeys), Style::in(dkeys) + n, thrust::constant_iterator<int>(1),
           thrust::make_discard_iterator(), Style::out(out));
  out.resize(lengths.second - Style::out(out));
  expect("reduce_by_key constant", out, ones);
  const auto kept =
      CALL(copy_if, Style::in(d), Style::in(d) + n, thrust::make_discard_iterator(), IsOdd());
  expect("copy_if discard", kept - thrust::make_discard_iterator(),
         std::count_if(h.begin(), h.end(), IsOdd()));
}

template <class Style>
void by_key() {
  std::vector<int> ka = mixed<int>(20), kb = mixed<int>(20, 5), va(20), vb(20);
  std::sort(ka.begin(), ka.end());
  std::sort(kb.begin(), kb.end());
  std::iota(va.begin(), va.end(), 0);
  std::iota(vb.begin(), vb.end(), 100);
  const thrust::device_vector<int> dka = ka, dkb = kb, dva = va, dvb = vb;
  thrust::device_vector<int> keys(40), values(40);
  std::vector<std::pair<int, int>> a, b, merged(40);
  for (int i = 0; i < 20; ++i) {
    a.emplace_back(ka[i], va[i]);
    b.emplace_back(kb[i], vb[i]);
  }
  const auto less = [](const auto& x, const auto& y) { return x.first < y.first; };
  std::vector<int> want_keys, want;
  const auto split = [&](auto end) {
    want_keys.clear();
    want.clear();
    for (auto it = merged.begin(); it != end; ++it) {
      want_keys.push_back(it->first);
      want.push_back(it->second);
    }
  };
  split(std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin(), less));
  CALL(merge_by_key, Style::in(dka), Style::in(dka) + 20, Style::in(dkb), Style::in(dkb) + 20,
       Style::in(dva), Style::in(dvb), Style::out(keys), Style::out(values));
  expect("merge_by_key keys", keys, want_keys);
  expect("merge_by_key", values, want);
  split(std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), merged.begin(), less));
  auto ends = CALL(set_intersection_by_key, Style::in(dka), Style::in(dka) + 20, Style::in(dkb),
                   Style::in(dkb) + 20, Style::in(dva), Style::out(keys), Style::out(values));
  values.resize(ends.second - Style::out(values));
  expect("set_intersection_by_key", values, want);
  values.resize(40);
  split(std::set_union(a.begin(), a.end(), b.begin(), b.end(), merged.begin(), less));
  ends = CALL(set_union_by_key, Style::in(dka), Style::in(dka) + 20, Style::in(dkb),
              Style::in(dkb) + 20, Style::in(dva), Style::in(dvb), Style::out(keys),
              Style::out(values));
  values.resize(ends.second - Style::out(values));
  expect("set_union_by_key", values, want);
  values.resize(40);
  split(std::set_difference(a.begin(), a.end(), b.begin(), b.end(), merged.begin(), less));
  ends = CALL(set_difference_by_key, Style::in(dka), Style::in(dka) + 20, Style::in(dkb),
              Style::in(dkb) + 20, Style::in(dva), Style::in(dvb), Style::out(keys),
              Style::out(values));
  values.resize(ends.second - Style::out(values));
  expect("set_difference_by_key", values, want);
}

template <class Style>
void all() {
  const std::vector<int> h = mixed<int>(n);
  const thrust::device_vector<int> d = h;
  sources<Style>(h, d);
  orders<Style>(h, d);
  tuples<Style>(h, d);
  discards<Style>(h, d);
  by_key<Style>();
  done<Style>();
}

int main() {
  all<RawPointers>();
  all<DevicePointers>();
  all<Iterators>();
  return 0;
}
