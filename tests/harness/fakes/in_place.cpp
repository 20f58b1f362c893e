// y[i] = x[i] + x[i + 1], where y may be x: right from the front to the back, wrong the other way.
#include "toy.h"

namespace warpath::toy {
namespace {

struct Pairs {
  static constexpr const char* op = "pairs";
  Tensor x, y;
  static Contract contract() {
    return Contract(op, "sums of neighbours")
        .in("x", &Pairs::x, {"n..."}, {DType::f32})
        .out("y", &Pairs::y, {"n..."}, "x")
        .in_place("x");
  }
};

template <class T>
void add_from(const Pairs& a, std::int64_t i) {
  const std::int64_t next = i + 1 < a.x.size() ? i + 1 : i;
  a.y.as<T>()[i] = a.x.as<T>()[i] + a.x.as<T>()[next];
}

void reference(const Pairs& a, const Pairs&) {
  for (std::int64_t i = 0; i < a.x.size(); ++i) add_from<double>(a, i);
}

std::vector<Case> cases() {
  return {{.name = "apart", .dims = {{"n", 100}}},
          {.name = "in place", .dims = {{"n", 100}}, .in_place = {"y"}},
          {.name = "timed", .dims = {{"n", 100}}, .in_place = {"y"}, .bench = true}};
}
WARPATH_OP(Pairs, .reference = reference, .cases = cases, .cost = bytes_alone<Pairs>);

const Registrar<Pairs> forwards("in_place/forwards.cu",
                                [](const Pairs& a, cudaStream_t) {
                                  for (std::int64_t i = 0; i < a.x.size(); ++i)
                                    add_from<float>(a, i);
                                },
                                {});
const Registrar<Pairs> backwards("in_place/backwards.cu",
                                 [](const Pairs& a, cudaStream_t) {
                                   for (std::int64_t i = a.x.size(); i-- > 0;)
                                     add_from<float>(a, i);
                                 },
                                 {});

}  // namespace
}  // namespace warpath::toy
