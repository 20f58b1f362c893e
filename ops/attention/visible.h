// Which keys a query may see: one rule for the reference and for every kernel.
//
// The last query stands at the last key: query i of `queries` has position i + keys - queries. With `causal` it sees no
// key behind its position; with a window w > 0 only keys less than w away from it. So the keys it sees are one
// stretch, [first, last).
#pragma once
#include <cstdint>

namespace warpath::attention {

struct Keys {
  int first, last;
};

struct Visible {
  int queries, keys;
  bool causal;
  int window;  // 0: none

  // The keys of one query; last <= first where it sees none.
  constexpr Keys of(int query) const { return of_rows(query, query + 1); }

  // The keys that any of the queries [begin, end) sees. A kernel visits tiles of keys from here.
  constexpr Keys of_rows(int begin, int end) const {
    const int shift = keys - queries;
    Keys k{0, keys};
    if (causal && end + shift < k.last) k.last = end + shift;
    if (window > 0) {
      if (begin + shift - window + 1 > k.first) k.first = begin + shift - window + 1;
      if (!causal && end - 1 + shift + window < k.last) k.last = end - 1 + shift + window;
    }
    if (k.last < k.first) k.last = k.first;
    return k;
  }

  // The queries that see any of the keys [begin, end): what the backward pass visits.
  constexpr Keys queries_of(int begin, int end) const {
    const int shift = keys - queries;
    Keys q{0, queries};
    if (causal && begin - shift > q.first) q.first = begin - shift;
    if (window > 0) {
      if (end - 1 - shift + window < q.last) q.last = end - 1 - shift + window;
      if (!causal && begin - shift - window + 1 > q.first) q.first = begin - shift - window + 1;
    }
    if (q.last < q.first) q.last = q.first;
    return q;
  }

  // Whether all queries [rows_begin, rows_end) see all keys [begin, end): such a tile needs no mask.
  constexpr bool whole(int rows_begin, int rows_end, int begin, int end) const {
    const Keys a = of(rows_begin), z = of(rows_end - 1);
    return a.first <= begin && z.first <= begin && end <= a.last && end <= z.last;
  }
};

}  // namespace warpath::attention
