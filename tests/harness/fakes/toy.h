// y = 2x, in host functions that stand in for kernels.
#pragma once
#include <cstdint>
#include <cstring>

#include "core/host/registry.h"

namespace warpath::toy {

struct Args {
  static constexpr const char* op = "toy";
  Tensor x, y;
  Scratch scratch;
  double factor = 2;

  static Contract contract() {
    return Contract(op, "y = factor x")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::i32})
        .out("y", &Args::y, {"rows...", "cols"}, "x")
        .real("factor", &Args::factor, 2)
        .scratch("scratch", &Args::scratch);
  }
};

// total += sum of x[where]; a position tensor, an in-place tensor and an optional one.
struct Gather {
  static constexpr const char* op = "toy_gather";
  Tensor x, where, total, bias;

  static Contract contract() {
    return Contract(op, "total += x[where] + bias")
        .in("x", &Gather::x, {"n"}, {DType::f32})
        .in("where", &Gather::where, {"m"}, {DType::i64})
        .index()
        .inout("total", &Gather::total, {"m"}, "x")
        .in("bias", &Gather::bias, {"m"}, "x")
        .optional();
  }
};

// The same args under another op name: the kernels that must not pass.
struct Unruly : Args {
  static constexpr const char* op = "unruly";
  static Contract contract() {
    return Contract(op, "y = 2x, never done right")
        .in("x", &Unruly::x, {"rows...", "cols"}, std::vector<DType>{DType::f32})
        .out("y", &Unruly::y, {"rows...", "cols"}, "x");
  }
};

// And a third op name, for rungs that are timed in turns.
struct Relay : Args {
  static constexpr const char* op = "relay";
  static Contract contract() {
    return Contract(op, "y = 2x, in turns")
        .in("x", &Relay::x, {"rows...", "cols"}, std::vector<DType>{DType::f32})
        .out("y", &Relay::y, {"rows...", "cols"}, "x");
  }
};

// The reference and the cost of the last two ops.
template <class A>
void twice(const A& a, const A&) {
  for (std::int64_t i = 0; i < a.x.size(); ++i)
    a.y.template as<double>()[i] = 2 * a.x.template as<double>()[i];
}
template <class A>
Cost bytes_alone(const A& a) {
  return {0, 2.0 * static_cast<double>(a.x.bytes())};
}

template <class F>
void each(const Tensor& x, const Tensor& y, F f) {
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if (x.dtype == DType::i32)
      y.as<std::int32_t>()[i] = static_cast<std::int32_t>(f(x.as<std::int32_t>()[i]));
    else
      y.as<float>()[i] = static_cast<float>(f(x.as<float>()[i]));
  }
}

template <class A>
using Registrar = detail::RungRegistrar<A>;

}  // namespace warpath::toy
