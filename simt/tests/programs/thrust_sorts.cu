// Thrust's sorts, merges, set operations and searches in every style of call (thrust_styles.h), and sorts of every type of
// number, negative ones among them.
#include <thrust/binary_search.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/merge.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>

#include <limits>

#include "thrust_styles.h"

struct ByLastDigit {
  __host__ __device__ bool operator()(int a, int b) const {
    return (a + 100) % 10 < (b + 100) % 10;
  }
};

template <class Style>
void sorts() {
  const std::vector<int> h = mixed<int>(50);
  std::vector<int> want = h, order(50), want_order(50);
  std::iota(order.begin(), order.end(), 0);
  thrust::device_vector<int> d = h, items = order;

  std::sort(want.begin(), want.end());
  CALL(sort, Style::out(d), Style::out(d) + 50);
  expect("sort", d, want);
  expect("is_sorted", CALL(is_sorted, Style::in(d), Style::in(d) + 50), 1);

  d = h;
  want = h;
  std::sort(want.begin(), want.end(), std::greater<int>());
  CALL(sort, Style::out(d), Style::out(d) + 50, thrust::greater<int>());
  expect("sort greater", d, want);
  expect("is_sorted", CALL(is_sorted, Style::in(d), Style::in(d) + 50), 0);

  d = h;
  want = h;
  std::stable_sort(want.begin(), want.end(), ByLastDigit());
  CALL(stable_sort, Style::out(d), Style::out(d) + 50, ByLastDigit());
  expect("stable_sort", d, want);

  const auto by_key = [&](auto less) {
    want_order = order;
    std::stable_sort(want_order.begin(), want_order.end(),
                     [&](int a, int b) { return less(h[a], h[b]); });
    want = h;
    std::stable_sort(want.begin(), want.end(), less);
    d = h;
    items = order;
  };
  by_key(std::less<int>());
  CALL(stable_sort_by_key, Style::out(d), Style::out(d) + 50, Style::out(items));
  expect("stable_sort_by_key keys", d, want);
  expect("stable_sort_by_key values", items, want_order);
  by_key(std::greater<int>());
  CALL(sort_by_key, Style::out(d), Style::out(d) + 50, Style::out(items), thrust::greater<int>());
  expect("sort_by_key greater keys", d, want);
  expect("sort_by_key greater values", items, want_order);
}

template <class Style>
void sets() {
  std::vector<int> a = mixed<int>(20), b = mixed<int>(30, 5), want(50);
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const thrust::device_vector<int> da = a, db = b;
  thrust::device_vector<int> d(50);
  const auto cut = [&](auto end, auto want_end) {
    d.resize(end - Style::out(d));
    want.resize(want_end - want.begin());
  };
  const auto again = [&] {
    d.assign(50, 0);
    want.assign(50, 0);
  };
#define SET_OPERATION(NAME, STD)                                                       \
  again();                                                                             \
  cut(CALL(NAME, Style::in(da), Style::in(da) + 20, Style::in(db), Style::in(db) + 30, \
           Style::out(d)),                                                             \
      std::STD(a.begin(), a.end(), b.begin(), b.end(), want.begin()));                 \
  expect(#NAME, d, want);
  SET_OPERATION(merge, merge)
  SET_OPERATION(set_union, set_union)
  SET_OPERATION(set_intersection, set_intersection)
  SET_OPERATION(set_difference, set_difference)
  SET_OPERATION(set_symmetric_difference, set_symmetric_difference)

  std::vector<int> places(30), found(30);
  thrust::device_vector<int> dplaces(30);
  for (int i = 0; i < 30; ++i) {
    places[i] = std::lower_bound(a.begin(), a.end(), b[i]) - a.begin();
    found[i] = std::binary_search(a.begin(), a.end(), b[i]);
  }
  CALL(lower_bound, Style::in(da), Style::in(da) + 20, Style::in(db), Style::in(db) + 30,
       Style::out(dplaces));
  expect("lower_bound of many", dplaces, places);
  CALL(binary_search, Style::in(da), Style::in(da) + 20, Style::in(db), Style::in(db) + 30,
       Style::out(dplaces));
  expect("binary_search of many", dplaces, found);
  expect("lower_bound", CALL(lower_bound, Style::in(da), Style::in(da) + 20, 3) - Style::in(da),
         std::lower_bound(a.begin(), a.end(), 3) - a.begin());
  expect("upper_bound", CALL(upper_bound, Style::in(da), Style::in(da) + 20, -4) - Style::in(da),
         std::upper_bound(a.begin(), a.end(), -4) - a.begin());
  expect("binary_search", CALL(binary_search, Style::in(da), Style::in(da) + 20, a[7]), 1);
  const auto range = CALL(equal_range, Style::in(da), Style::in(da) + 20, a[9]);
  expect("equal_range", range.second - range.first, std::count(a.begin(), a.end(), a[9]));
}

// Keys of one type, upwards and downwards, and with values.
template <class T>
void type(const char* name) {
  std::vector<T> h = mixed<T>(300);
  if (!std::is_same_v<T, bool>) {
    h[7] = std::numeric_limits<T>::lowest();
    h[8] = std::numeric_limits<T>::max();
  }
  std::vector<T> up = h;
  std::sort(up.begin(), up.end());
  const std::vector<T> down(up.rbegin(), up.rend());
  thrust::device_vector<T> d = h;
  thrust::sort(d.begin(), d.end());
  expect(name, d, up);
  d = h;
  thrust::sort(d.begin(), d.end(), thrust::greater<T>());
  expect(name, d, down);
  std::vector<int> order(h.size());
  std::iota(order.begin(), order.end(), 0);
  thrust::device_vector<int> items = order;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] < h[b]; });
  d = h;
  thrust::sort_by_key(d.begin(), d.end(), items.begin());
  expect(name, items, order);
}

template <class Style>
void all() {
  sorts<Style>();
  sets<Style>();
  done<Style>();
}

// Floats in the order of a GPU's radix sort: NaN last, and the two zeros are one key.
void floats() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  thrust::device_vector<float> d = std::vector<float>{3.0f, nan, 0.0f, -0.0f, -1e30f, 1e-40f, -2};
  thrust::sort(d.begin(), d.end());
  std::printf("floats:");
  for (const float value : d) std::printf(" %g", value);
  std::printf("\n");
}

int main() {
  all<RawPointers>();
  all<DevicePointers>();
  all<Iterators>();
  type<bool>("bool");
  type<signed char>("signed char");
  type<short>("short");
  type<unsigned>("unsigned");
  type<long long>("long long");
  type<float>("float");
  std::vector<int> host = mixed<int>(300), want = host;
  std::sort(want.begin(), want.end());
  thrust::sort(thrust::host, host.begin(), host.end());
  expect("on the host", host == want, 1);
  std::printf("types %s\n", mistakes == 0 ? "ok" : "failed");
  floats();
  return 0;
}
