#include "toy_lists.h"

#include <cstring>

#include "toy.h"

namespace warpath::toy {
namespace {

void reference(const Lists& a, const Lists&) {
  for (std::int64_t i = 0; i < a.x.count; ++i)
    for (std::int64_t k = 0; k < a.x[i].size(); ++k)
      a.total[i].as<double>()[k] += a.rate.as<double>()[i] * a.x[i].as<double>()[k] +
                                    (a.extra.at ? a.extra[i].as<double>()[k] : 0);
}

Cost cost(const Lists& a) {
  return {static_cast<double>(a.x.size()),
          static_cast<double>(a.x.bytes() + 2 * a.total.bytes() + a.extra.bytes())};
}

Tolerance tolerance(const Lists&) {
  return {.out_ulps = 1, .f32_ulps = 64};
}

std::vector<Case> cases() {
  const std::vector<DType> f32 = {DType::f32};
  return {{.name = "none", .lists = {{"tensors", {}}}, .dtypes = f32},
          {.name = "one", .lists = {{"tensors", {1}}}, .dtypes = f32},
          {.name = "several", .lists = {{"tensors", {3, 0, 100, 17}}}, .dtypes = f32, .offset = 1},
          {.name = "alone", .lists = {{"tensors", {5, 8}}}, .without = {"extra"}, .dtypes = f32}};
}

WARPATH_OP(Lists, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

void add(const Lists& a, std::int64_t i) {
  for (std::int64_t k = 0; k < a.x[i].size(); ++k)
    a.total[i].as<float>()[k] += a.rate.as<float>()[i] * a.x[i].as<float>()[k] +
                                 (a.extra.at ? a.extra[i].as<float>()[k] : 0);
}
void good(const Lists& a, cudaStream_t) {
  for (std::int64_t i = 0; i < a.x.count; ++i) add(a, i);
}
void without_last(const Lists& a, cudaStream_t) {
  for (std::int64_t i = 0; i + 1 < a.x.count; ++i) add(a, i);
}
void past_the_end(const Lists& a, cudaStream_t) {
  for (std::int64_t i = 0; i < a.x.count; ++i) {
    add(a, i);
    if (i == 2) a.total[i].as<float>()[a.x[i].size()] = 0;
  }
}
void changes_input(const Lists& a, cudaStream_t) {
  for (std::int64_t i = 0; i < a.x.count; ++i) {
    add(a, i);
    if (a.x[i].size() > 4) a.x[i].as<float>()[4] = 0;
  }
}

const Registrar<Lists> first("toy_lists/01_good.cu", good, {});
const Registrar<Lists> last("toy_lists/without_last.cu", without_last, {});
const Registrar<Lists> past("toy_lists/past_the_end.cu", past_the_end, {});
const Registrar<Lists> input("toy_lists/changes_input.cu", changes_input, {});

}  // namespace
}  // namespace warpath::toy
