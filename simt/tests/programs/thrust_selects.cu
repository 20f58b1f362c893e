// Thrust's selections, partitions, searches, moves and replacements in every style of call (thrust_styles.h).
#include <thrust/copy.h>
#include <thrust/equal.h>
#include <thrust/find.h>
#include <thrust/for_each.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/mismatch.h>
#include <thrust/partition.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scatter.h>
#include <thrust/swap.h>
#include <thrust/tabulate.h>
#include <thrust/unique.h>

#include "thrust_styles.h"

struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Triple {
  __host__ __device__ int operator()(int i) const { return 3 * i - 20; }
};
struct Negate {
  __host__ __device__ void operator()(int& x) const { x = -x; }
};
struct Nine {
  __host__ __device__ int operator()() const { return 9; }
};

constexpr int n = 40;

template <class Style>
void selections(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d), last = Style::in(d) + n;
  thrust::device_vector<int> out(n);
  std::vector<int> want(n);
  const auto cut = [&](auto end, auto want_end) {
    out.resize(end - Style::out(out));
    want.resize(want_end - want.begin());
  };
  const auto again = [&](const std::vector<int>& from) {
    out = from;
    want = from;
  };
  const auto begin = [&] { return Style::out(out); };
  const auto end = [&] { return Style::out(out) + n; };
  again(h);
  cut(CALL(copy_if, first, last, begin(), IsOdd()),
      std::copy_if(h.begin(), h.end(), want.begin(), IsOdd()));
  expect("copy_if", out, want);
  std::vector<int> stencil(n);
  for (int i = 0; i < n; ++i) stencil[i] = i % 3;
  const thrust::device_vector<int> dstencil = stencil;
  std::vector<int> by_stencil;
  for (int i = 0; i < n; ++i)
    if (i % 3 == 1) by_stencil.push_back(h[i]);
  again(h);
  out.resize(CALL(copy_if, first, last, Style::in(dstencil), begin(), IsOdd()) - begin());
  expect("copy_if stencil", out, by_stencil);
  again(h);
  cut(CALL(remove_if, begin(), end(), IsOdd()), std::remove_if(want.begin(), want.end(), IsOdd()));
  expect("remove_if", out, want);
  again(h);
  cut(CALL(remove, begin(), end(), h[2]), std::remove(want.begin(), want.end(), h[2]));
  expect("remove", out, want);
  again(h);
  cut(CALL(remove_copy_if, first, last, begin(), IsOdd()),
      std::remove_copy_if(h.begin(), h.end(), want.begin(), IsOdd()));
  expect("remove_copy_if", out, want);

  std::vector<int> runs(n);
  for (int i = 0; i < n; ++i) runs[i] = i / 3 % 5 - 2;
  again(runs);
  cut(CALL(unique, begin(), end()), std::unique(want.begin(), want.end()));
  expect("unique", out, want);
  const thrust::device_vector<int> druns = runs;
  again(h);
  cut(CALL(unique_copy, Style::in(druns), Style::in(druns) + n, begin()),
      std::unique_copy(runs.begin(), runs.end(), want.begin()));
  expect("unique_copy", out, want);
  again(runs);
  thrust::device_vector<int> items = h;
  std::vector<int> want_items;
  for (int i = 0; i < n; ++i)
    if (i == 0 || runs[i] != runs[i - 1]) want_items.push_back(h[i]);
  items.resize(CALL(unique_by_key, begin(), end(), Style::out(items)).second - Style::out(items));
  expect("unique_by_key", items, want_items);

  again(h);
  const auto middle = std::stable_partition(want.begin(), want.end(), IsOdd());
  expect("stable_partition", CALL(stable_partition, begin(), end(), IsOdd()) - begin(),
         middle - want.begin());
  expect("stable_partition", out, want);
  expect("partition_point", CALL(partition_point, begin(), end(), IsOdd()) - begin(),
         middle - want.begin());
  expect("is_partitioned", CALL(is_partitioned, begin(), end(), IsOdd()), 1);
  again(h);
  expect("partition", CALL(partition, begin(), end(), IsOdd()) - begin(),
         std::count_if(h.begin(), h.end(), IsOdd()));
  thrust::device_vector<int> odd(n), even(n);
  const auto ends = CALL(partition_copy, first, last, Style::out(odd), Style::out(even), IsOdd());
  expect("partition_copy", (ends.first - Style::out(odd)) + (ends.second - Style::out(even)), n);
}

template <class Style>
void moves(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d), last = Style::in(d) + n;
  thrust::device_vector<int> out = h;
  std::vector<int> want = h, map(n);
  for (int i = 0; i < n; ++i) map[i] = i * 7 % n;
  const thrust::device_vector<int> dmap = map;
  for (int i = 0; i < n; ++i) want[i] = h[map[i]];
  CALL(gather, Style::in(dmap), Style::in(dmap) + n, first, Style::out(out));
  expect("gather", out, want);
  for (int i = 0; i < n; ++i) want[map[i]] = h[i];
  CALL(scatter, first, last, Style::in(dmap), Style::out(out));
  expect("scatter", out, want);
  for (int i = 0; i < n; ++i)
    if (h[i] != 0) want[map[i]] = -h[i];
  thrust::device_vector<int> negative = h;
  CALL(for_each, Style::out(negative), Style::out(negative) + n, Negate());
  CALL(scatter_if, Style::in(negative), Style::in(negative) + n, Style::in(dmap), first,
       Style::out(out));
  expect("for_each, scatter_if", out, want);
  want = h;
  std::reverse(want.begin(), want.end());
  CALL(copy, first, last, Style::out(out));
  CALL(reverse, Style::out(out), Style::out(out) + n);
  expect("copy, reverse", out, want);
  CALL(copy_n, first, n - 1, Style::out(out) + 1);
  std::copy_n(h.begin(), n - 1, want.begin() + 1);
  expect("copy_n", out, want);
  CALL(reverse_copy, first, last, Style::out(out));
  std::reverse_copy(h.begin(), h.end(), want.begin());
  expect("reverse_copy", out, want);
  CALL(swap_ranges, Style::out(out), Style::out(out) + n, Style::out(negative));
  expect("swap_ranges", negative, want);
  CALL(replace, Style::out(negative), Style::out(negative) + n, h[1], 77);
  std::replace(want.begin(), want.end(), h[1], 77);
  expect("replace", negative, want);
  CALL(replace_if, Style::out(negative), Style::out(negative) + n, IsOdd(), 0);
  std::replace_if(want.begin(), want.end(), IsOdd(), 0);
  expect("replace_if", negative, want);
  for (int i = 0; i < n; ++i) want[i] = 3 * i - 20;
  CALL(tabulate, Style::out(out), Style::out(out) + n, Triple());
  expect("tabulate", out, want);
  CALL(generate, Style::out(out), Style::out(out) + n, Nine());
  expect("generate", out, std::vector<int>(n, 9));
}

template <class Style>
void searches(const std::vector<int>& h, const thrust::device_vector<int>& d) {
  const auto first = Style::in(d), last = Style::in(d) + n;
  expect("find", CALL(find, first, last, h[17]) - first,
         std::find(h.begin(), h.end(), h[17]) - h.begin());
  expect("find nothing", CALL(find, first, last, 1000) - first, n);
  expect("find_if", CALL(find_if, first, last, IsOdd()) - first,
         std::find_if(h.begin(), h.end(), IsOdd()) - h.begin());
  expect("find_if_not", CALL(find_if_not, first, last, IsOdd()) - first,
         std::find_if_not(h.begin(), h.end(), IsOdd()) - h.begin());
  std::vector<int> other = h;
  other[21] += 1;
  const thrust::device_vector<int> dother = other;
  expect("equal", CALL(equal, first, last, first), 1);
  expect("equal", CALL(equal, first, last, Style::in(dother)), 0);
  expect("mismatch", CALL(mismatch, first, last, Style::in(dother)).first - first, 21);
}

template <class Style>
void all() {
  const std::vector<int> h = mixed<int>(n);
  const thrust::device_vector<int> d = h;
  selections<Style>(h, d);
  moves<Style>(h, d);
  searches<Style>(h, d);
  done<Style>();
}

int main() {
  all<RawPointers>();
  all<DevicePointers>();
  all<Iterators>();
  return 0;
}
