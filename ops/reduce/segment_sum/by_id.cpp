// Segments by ids, and both gradients: references and cases.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/host/indices.h"
#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/reduce/segment_sum/segment_sum.h"

namespace warpath::segment_sum {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::map<std::string, DType> narrow(const char* index) {
  return {{index, DType::i32}};
}

// The totals of the rows by segment, and how many rows each has.
template <class SegmentOf>
void join_rows(const Tensor& x, Kind kind, std::int64_t segments, SegmentOf segment_of, double* y,
               double* squares, std::vector<std::int64_t>& rows) {
  const std::int64_t n = x.shape[0], cols = x.shape[1];
  rows.assign(static_cast<std::size_t>(segments), 0);
  std::fill_n(y, segments * cols, kind == Kind::max ? -infinity : 0);
  std::fill_n(squares, segments * cols, 0.0);
  for (std::int64_t r = 0; r < n; ++r) {
    const std::int64_t s = segment_of(r);
    if (s < 0) continue;
    ++rows[static_cast<std::size_t>(s)];
    for (std::int64_t c = 0; c < cols; ++c) {
      const double value = x.as<double>()[r * cols + c];
      double& total = y[s * cols + c];
      total = kind != Kind::max                    ? total + value
              : total > value || std::isnan(total) ? total
                                                   : value;
      squares[s * cols + c] += value * value;
    }
  }
}

// --- by id ------------------------------------------------------------------------------------------------------------

std::int64_t named(const Tensor& ids, std::int64_t r, std::int64_t segments) {
  const std::int64_t id = ids.as<std::int64_t>()[r];
  return id >= 0 && id < segments ? id : -1;
}

void reference(const ById& args, const ById& scale) {
  const std::int64_t segments = args.y.shape[0], cols = args.y.shape[1];
  double *const y = args.y.as<double>(), *const sizes = scale.y.as<double>();
  std::vector<std::int64_t> rows;
  const auto of = [&](std::int64_t r) { return named(args.ids, r, segments); };
  join_rows(args.x, args.kind, segments, of, y, sizes, rows);
  for (std::int64_t k = 0; k < segments * cols; ++k) {
    const auto count = static_cast<double>(rows[static_cast<std::size_t>(k / cols)]);
    const double by = args.kind == Kind::mean ? count : 1;
    sizes[k] = (std::abs(y[k]) + std::sqrt(sizes[k])) / by;
    if (args.kind == Kind::mean) y[k] /= by;
  }
}

// Some ids name no segment. The lengths differ: half of the ids are in the first tenth of the segments.
void prepare_ids(const Tensor& ids, std::int64_t segments) {
  for (std::int64_t r = 0; r < ids.size(); ++r) {
    std::int64_t& id = ids.as<std::int64_t>()[r];
    const std::int64_t bits = std::abs(id % 1'000'003);
    if (bits % 17 == 0)
      id = bits % 2 ? -1 : segments;
    else
      id = bits % 2 ? bits / 2 % std::max<std::int64_t>(segments, 1)
                    : bits / 2 % (segments / 10 + 1);
  }
}

void prepare(const ById& args) {
  prepare_ids(args.ids, args.y.shape[0]);
}

Cost cost(const ById& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.ids.bytes() + args.y.bytes())};
}

Tolerance tolerance(const ById& args) {
  if (args.kind == Kind::max) return {.out_ulps = 0, .f32_ulps = 0};
  return {.out_ulps = 1, .f32_ulps = 8 + 0.8 * std::sqrt(static_cast<double>(args.x.shape[0]))};
}

std::vector<Case> cases_by_id() {
  std::vector<Case> all;
  const auto add = [&](const char* name, const char* kind, std::int64_t n, std::int64_t segments,
                       std::int64_t cols = 1, Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}, {"segments", segments}, {"cols", cols}};
    c.scalars = {{"kind", kind}, {"segments", segments}};
    all.push_back(std::move(c));
  };
  add("no segments", "sum", 100, 0);
  add("no rows", "sum", 0, 10);
  add("no rows, mean", "mean", 0, 10);
  add("no rows, max", "max", 0, 10);
  add("one", "sum", 1, 1);
  add("one segment", "sum", 5003, 1);
  add("few segments", "sum", 6007, 13, 1, {.types = narrow("ids")});
  add("few segments, mean", "mean", 4001, 13, 3);
  add("few segments, max", "max", 4001, 13, 3, {.fill = Fill::special});
  add("mostly empty", "sum", 300, 5000);
  add("many segments", "mean", 5003, 1000, 1, {.types = narrow("ids")});
  add("many segments, max", "max", 3001, 40'000, 1, {.fill = Fill::low});
  add("columns", "sum", 300, 20, 33, {.offset = 1});
  add("more than shared memory", "sum", 200, 700, 65);
  add("wide", "sum", 2001, 60, 1, {.fill = Fill::wide});
  add("special", "sum", 3001, 300, 1, {.fill = Fill::special});
  add("64Mi in 1Mi", "sum", 64 << 20, 1 << 20, 1, {.bench = true});
  add("64Mi in 1000", "sum", 64 << 20, 1000, 1, {.dtypes = {DType::f32}, .bench = true});
  add("graph, 1Mi x 64 in 100k", "mean", 1 << 20, 100'003, 64,
      {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  return all;
}

WARPATH_OP(ById, .reference = reference, .cases = cases_by_id, .cost = cost, .tolerance = tolerance,
           .prepare = prepare);

// --- gradients --------------------------------------------------------------------------------------------------------

template <class Args, class SegmentOf>
void gradient(const Args& args, const Args& scale, SegmentOf segment_of) {
  check_max(args);
  const std::int64_t n = args.dx.shape[0], cols = args.dx.shape[1], segments = args.dy.shape[0];
  std::vector<double> rows(static_cast<std::size_t>(segments)),
      ties(static_cast<std::size_t>(segments * cols));
  const bool max = args.kind == Kind::max;
  const auto has = [&](std::int64_t r, std::int64_t s, std::int64_t c) {
    return args.x.template as<double>()[r * cols + c] == args.y.template as<double>()[s * cols + c];
  };
  for (std::int64_t r = 0; r < n; ++r) {
    const std::int64_t s = segment_of(r);
    if (s < 0) continue;
    rows[static_cast<std::size_t>(s)] += 1;
    for (std::int64_t c = 0; max && c < cols; ++c)
      ties[static_cast<std::size_t>(s * cols + c)] += has(r, s, c);
  }
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t c = 0; c < cols; ++c) {
      const std::int64_t s = segment_of(r), k = s * cols + c;
      double value = s < 0 ? 0 : args.dy.template as<double>()[k];
      if (s >= 0 && args.kind == Kind::mean) value /= rows[static_cast<std::size_t>(s)];
      if (s >= 0 && max) value = has(r, s, c) ? value / ties[static_cast<std::size_t>(k)] : 0;
      args.dx.template as<double>()[r * cols + c] = value;
      scale.dx.template as<double>()[r * cols + c] = std::abs(value);
    }
}

// Few values, so that rows share a maximum, and the maxima that belong to them.
template <class Args, class SegmentOf>
void prepare_maxima(const Args& args, SegmentOf segment_of) {
  if (args.x.rank == 0) return;
  for (std::int64_t i = 0; i < args.x.size(); ++i) {
    double& x = args.x.template as<double>()[i];
    x = std::clamp(std::round(2 * x), -3.0, 3.0);
  }
  std::vector<double> squares(static_cast<std::size_t>(args.y.size()));
  std::vector<std::int64_t> rows;
  join_rows(args.x, Kind::max, args.y.shape[0], segment_of, args.y.template as<double>(),
            squares.data(), rows);
}

std::int64_t found(const Tensor& offsets, std::int64_t r) {
  const std::int64_t* const first = offsets.as<std::int64_t>();
  const std::int64_t* const last = first + offsets.size();
  const std::int64_t s = std::upper_bound(first, last, r) - first - 1;
  return s < offsets.size() - 1 ? s : -1;
}

void reference_backward(const Backward& args, const Backward& scale) {
  gradient(args, scale, [&](std::int64_t r) { return found(args.offsets, r); });
}
void reference_by_id(const ByIdBackward& args, const ByIdBackward& scale) {
  const std::int64_t segments = args.dy.shape[0];
  gradient(args, scale, [&](std::int64_t r) { return named(args.ids, r, segments); });
}

// Random cuts: some segments are empty, and some rows lie before the first and behind the last.
void prepare_backward(const Backward& args) {
  std::int64_t* const offsets = args.offsets.as<std::int64_t>();
  for (std::int64_t s = 0; s < args.offsets.size(); ++s) offsets[s] %= args.dx.shape[0] + 1;
  std::sort(offsets, offsets + args.offsets.size());
  prepare_maxima(args, [&](std::int64_t r) { return found(args.offsets, r); });
}
void prepare_by_id(const ByIdBackward& args) {
  prepare_ids(args.ids, args.dy.shape[0]);
  prepare_maxima(args, [&](std::int64_t r) { return named(args.ids, r, args.dy.shape[0]); });
}

std::int64_t index_bytes(const Backward& args) {
  return args.offsets.bytes();
}
std::int64_t index_bytes(const ByIdBackward& args) {
  return args.ids.bytes();
}

template <class Args>
Cost cost_backward(const Args& args) {
  const std::int64_t maxima = args.kind == Kind::max ? args.x.bytes() + args.y.bytes() : 0;
  return {
      .flops = 0,
      .bytes = static_cast<double>(index_bytes(args) + maxima + args.dy.bytes() + args.dx.bytes())};
}

template <class Args>
Tolerance tolerance_backward(const Args& args) {
  return {.out_ulps = 1, .f32_ulps = args.kind == Kind::sum ? 0.0 : 1.0};
}

std::vector<Case> cases_of_gradients(const char* index, bool by_id) {
  std::vector<Case> all;
  const auto add = [&](const char* name, const char* kind, std::int64_t n, std::int64_t segments,
                       std::int64_t cols, Case c = {}) {
    c.name = name;
    c.dims = {{"n", n}, {"segments", segments}, {"cols", cols}};
    c.scalars = {{"kind", kind}};
    if (!by_id) c.scalars.emplace("n", n);
    if (std::string(kind) != "max") c.without = {"x", "y"};
    all.push_back(std::move(c));
  };
  add("no segments", "sum", 40, 0, 3);
  add("no rows", "sum", 0, 10, 2);
  add("one", "sum", 1, 1, 1);
  add("one column", "sum", 5003, 300, 1);
  add("columns", "sum", 400, 30, 33, {.types = narrow(index)});
  add("mean", "mean", 1500, 200, 5);
  add("mean, one column", "mean", 3001, 40, 1, {.types = narrow(index)});
  add("max", "max", 1500, 200, 5);
  add("max, one column", "max", 3001, 40, 1, {.offset = 1});
  add("wide", "mean", 500, 60, 2, {.fill = Fill::wide});
  add("long, one column", "sum", 9001, 7, 1);
  add("mostly empty", "mean", 300, 2003, 1);
  add("64Mi in 1Mi", "sum", 64 << 20, 1 << 20, 1, {.bench = true});
  add("graph, 1Mi x 64 in 100k", "mean", 1 << 20, 100'003, 64,
      {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  return all;
}

std::vector<Case> cases_backward() {
  return cases_of_gradients("offsets", false);
}
std::vector<Case> cases_by_id_backward() {
  return cases_of_gradients("ids", true);
}

void check(const Backward& args) {
  check_offsets("offsets", args.offsets, args.n);
}

WARPATH_OP(Backward, .reference = reference_backward, .cases = cases_backward,
           .cost = cost_backward<Backward>, .tolerance = tolerance_backward<Backward>,
           .prepare = prepare_backward, .check = check);
WARPATH_OP(ByIdBackward, .reference = reference_by_id, .cases = cases_by_id_backward,
           .cost = cost_backward<ByIdBackward>, .tolerance = tolerance_backward<ByIdBackward>,
           .prepare = prepare_by_id);

}  // namespace
}  // namespace warpath::segment_sum
