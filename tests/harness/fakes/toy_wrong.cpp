// What `check --wrong` must see rejected. ACCEPTED adds one that is right, which must be reported.
#include "toy.h"

namespace warpath::toy {
namespace {

void tail(const Args& a, cudaStream_t) {
  Tensor most = a.x;
  most.shape[1] = a.x.shape[1] / 2 * 2;  // forgets the last column of an odd number
  for (std::int64_t r = 0; r < a.x.shape[0]; ++r)
    for (std::int64_t c = 0; c < most.shape[1]; ++c) {
      const std::int64_t i = r * a.x.shape[1] + c;
      if (a.x.dtype == DType::f32)
        a.y.as<float>()[i] = static_cast<float>(a.factor * a.x.as<float>()[i]);
      else
        a.y.as<std::int32_t>()[i] = static_cast<std::int32_t>(a.factor * a.x.as<std::int32_t>()[i]);
    }
}
const Registrar<Args> first("toy/wrong/tail.cu", tail, {});

#ifdef ACCEPTED
void right(const Args& a, cudaStream_t) {
  each(a.x, a.y, [&](double x) { return a.factor * x; });
}
const Registrar<Args> second("toy/wrong/right.cu", right, {});
#endif

}  // namespace
}  // namespace warpath::toy
