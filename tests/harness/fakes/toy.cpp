#include <unistd.h>

#include "core/host/error.h"
#include "toy.h"

namespace warpath::toy {
namespace {

void reference(const Args& a, const Args&) {
  for (std::int64_t i = 0; i < a.x.size(); ++i)
    a.y.as<double>()[i] = a.factor * a.x.as<double>()[i];
}

Cost cost(const Args& a) {
  return {static_cast<double>(a.x.size()), 2.0 * static_cast<double>(a.x.bytes())};
}

std::vector<Case> cases() {
  return {{.name = "one", .dims = {{"rows", 1}, {"cols", 1}}},
          {.name = "empty", .dims = {{"rows", 0}, {"cols", 7}}},
          {.name = "odd", .dims = {{"rows", 5}, {"cols", 7}}, .fill = Fill::ramp},
          {.name = "offset", .dims = {{"rows", 4}, {"cols", 100}}, .offset = 1},
          {.name = "tripled", .dims = {{"rows", 4}, {"cols", 8}}, .scalars = {{"factor", 3}}},
          {.name = "special",
           .dims = {{"rows", 16}, {"cols", 32}},
           .fill = Fill::special,
           .dtypes = {DType::f32}},
          {.name = "big", .dims = {{"rows", 64}, {"cols", 1024}}, .bench = true}};
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost);

// As a GPU's driver: of no use in a child of a process that has used it.
void use_driver() {
#ifdef FAKE_GPU
  static const pid_t user = getpid();
  if (user != getpid()) throw Error("initialization error");
#endif
}

void good(const Args& a, cudaStream_t) {
  use_driver();
  each(a.x, a.y, [&](double x) { return a.factor * x; });
}

// Fails when the scratch it asked for is not there or not its own.
void with_scratch(const Args& a, cudaStream_t) {
  std::memcpy(a.scratch.data, a.x.data, static_cast<std::size_t>(a.x.bytes()));
  Tensor copy = a.x;
  copy.data = a.scratch.data;
  each(copy, a.y, [&](double x) { return a.factor * x; });
}

std::string only_even(const Args& a) {
  use_driver();
  return a.x.shape[1] % 2 ? "needs an even number of columns" : "";
}

const Registrar<Args> first("toy/01_good.cu", good, {});
const Registrar<Args> second("toy/02_scratch.cu", with_scratch,
                             {.scratch = [](const Args& a) { return a.x.bytes(); }});
const Registrar<Args> third("toy/03_even.cu", good, {.supports = only_even});
const Registrar<Args> fourth("toy/04_cluster_sm90.cu", good, {});
#ifdef FAKE_GPU
const Registrar<Args> peer("toy/peers.cu", "vendor", good, {.note = "the vendor's way"});
#endif

void gather_reference(const Gather& a, const Gather&) {
  for (std::int64_t i = 0; i < a.where.size(); ++i)
    a.total.as<double>()[i] += a.x.as<double>()[a.where.as<std::int64_t>()[i]] +
                               (a.bias.data ? a.bias.as<double>()[i] : 0);
}

void gather_prepare(const Gather& a) {
  for (std::int64_t i = 0; i < a.where.size(); ++i) a.where.as<std::int64_t>()[i] %= a.x.size();
}

Cost gather_cost(const Gather& a) {
  return {1, static_cast<double>(a.x.bytes())};
}

std::vector<Case> gather_cases() {
  return {{.name = "plain", .dims = {{"n", 50}, {"m", 9}}},
          {.name = "no bias", .dims = {{"n", 50}, {"m", 9}}, .without = {"bias"}},
          {.name = "timed", .dims = {{"n", 500}, {"m", 90}}, .bench = true}};
}

void gather(const Gather& a, cudaStream_t) {
  for (std::int64_t i = 0; i < a.where.size(); ++i)
    a.total.as<float>()[i] = static_cast<float>(
        double(a.total.as<float>()[i]) + double(a.x.as<float>()[a.where.as<std::int64_t>()[i]]) +
        (a.bias.data ? double(a.bias.as<float>()[i]) : 0.0));
}

WARPATH_OP(Gather, .reference = gather_reference, .cases = gather_cases, .cost = gather_cost,
           .prepare = gather_prepare);
const Registrar<Gather> only("toy/01_gather.cu", gather, {});

}  // namespace
}  // namespace warpath::toy
