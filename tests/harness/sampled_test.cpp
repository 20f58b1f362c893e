// A timed case may be judged in part: by a sampled reference, and only then.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/host/error.h"
#include "harness/case_data.h"
#include "harness/fill.h"
#include "harness/plan.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

struct Args {
  Tensor x, y, z;

  static Contract contract() {
    return Contract("copies", "y = z = x")
        .in("x", &Args::x, {"n"}, {DType::f32})
        .out("y", &Args::y, {"n"}, "x")
        .out("z", &Args::z, {"n"}, "x");
  }
};

constexpr std::int64_t n = 100000;

bool judged(std::uint64_t key, std::int64_t i) {
  return random_bits(key, static_cast<std::uint64_t>(i)) % 8 == 0;
}

// z is judged in whole.
void copy(const Args& args, const Args& scale, std::uint64_t key) {
  for (std::int64_t i = 0; i < n; ++i) {
    args.z.as<double>()[i] = args.x.as<double>()[i];
    if (judged(key, i))
      args.y.as<double>()[i] = args.x.as<double>()[i];
    else
      scale.y.as<double>()[i] = not_judged;
  }
}

struct Problem {
  Problem() {
    op.contract = Args::contract();
    op.args_size = sizeof(Args);
    op.construct = [](void* a) { new (a) Args(); };
    op.cost = [](const void*) { return Cost{}; };
    op.tolerance = [](const void*) { return Tolerance{.out_ulps = 0}; };
    op.reference = [](const void* a, const void* s) {
      const Args &args = *static_cast<const Args*>(a), &scale = *static_cast<const Args*>(s);
      copy(args, scale, 0);
      for (std::int64_t i = 0; i < n; ++i) {
        args.y.as<double>()[i] = args.x.as<double>()[i];
        scale.y.as<double>()[i] = std::nan("");
      }
    };
    op.sampled = [this](const void* a, const void* s, std::uint64_t k) {
      key = k;
      copy(*static_cast<const Args*>(a), *static_cast<const Args*>(s), k);
    };
    test.name = "timed";
    test.dims = {{"n", n}};
    test.bench = true;
  }

  // The verdict on right outputs, changed by `change`.
  template <class F>
  Verdict judge(F change, std::uint64_t seed = 0) {
    const Plan plan = make_plan(op, test, DType::f32);
    const SharedArena inputs(plan.input_bytes);
    const CaseData problem(plan, seed, inputs);
    std::vector<char> out(static_cast<std::size_t>(plan.output_bytes));
    const auto* x = reinterpret_cast<const float*>(inputs.at(plan.tensors[0].input_at));
    auto* y = reinterpret_cast<float*>(out.data() + plan.tensors[1].output_at);
    auto* z = reinterpret_cast<float*>(out.data() + plan.tensors[2].output_at);
    std::copy(x, x + n, y);
    std::copy(x, x + n, z);
    change(y);
    return problem.judge(out.data());
  }
  std::int64_t first(bool wanted) const {
    std::int64_t i = n / 2;
    while (judged(key, i) != wanted) ++i;
    return i;
  }
  std::string complaint() {
    try {
      judge([](float*) {});
      return "";
    } catch (const Error& e) {
      return e.what();
    }
  }

  Op op;
  Case test;
  std::uint64_t key = 0;
};

TEST(Sampled, TheVerdictSaysHowMuchWasJudged) {
  Problem p;
  const Verdict v = p.judge([](float*) {});
  EXPECT_TRUE(v.passed) << v.reason;
  EXPECT_EQ(v.elements, 2 * n);
  EXPECT_NEAR(static_cast<double>(v.judged), n + n / 8.0, n / 50.0);
}

TEST(Sampled, AWrongElementAmongTheJudgedOnesIsRejected) {
  Problem p;
  const Verdict v = p.judge([&](float* y) { y[p.first(true)] += 1; });
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.bad, 1);
  EXPECT_EQ(v.index, p.first(true));
}

TEST(Sampled, TheOthersMustBeFinite) {
  Problem p;
  EXPECT_TRUE(p.judge([&](float* y) { y[p.first(false)] += 1; }).passed);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const Verdict v = p.judge([&](float* y) { y[p.first(false)] = static_cast<float>(bad); });
    EXPECT_FALSE(v.passed) << bad;
    EXPECT_EQ(v.index, p.first(false));
    EXPECT_NE(v.reason.find("expected a finite number"), std::string::npos) << v.reason;
  }
}

TEST(Sampled, TheKeyIsThatOfTheCaseAndTheSeed) {
  Problem p, q;
  p.judge([](float*) {});
  q.judge([](float*) {}, 1);
  EXPECT_NE(p.key, q.key);
  q.judge([](float*) {});
  EXPECT_EQ(p.key, q.key);
  q.test.name = "timed too";
  q.judge([](float*) {});
  EXPECT_NE(p.key, q.key);
}

TEST(Sampled, ACaseThatIsNotTimedIsJudgedInWhole) {
  Problem p;
  p.test.bench = false;
  const Verdict v = p.judge([](float*) {});
  EXPECT_TRUE(v.passed) << v.reason;
  EXPECT_EQ(v.judged, v.elements);
  EXPECT_EQ(p.key, 0u) << "the sampled reference was not asked";
  EXPECT_FALSE(p.judge([](float* y) { y[5] += 1; }).passed);
}

TEST(Sampled, AnyOtherReferenceMayNotLeaveElementsOut) {
  for (const bool bench : {false, true}) {
    Problem p;
    p.test.bench = bench;
    p.op.reference = [](const void* a, const void* s) {
      copy(*static_cast<const Args*>(a), *static_cast<const Args*>(s), 0);
    };
    p.op.sampled = nullptr;
    EXPECT_NE(p.complaint().find("leaves elements of y out"), std::string::npos) << p.complaint();
  }
}

TEST(Sampled, NothingJudgedIsAnError) {
  Problem p;
  p.op.sampled = [](const void* a, const void* s, std::uint64_t) {
    copy(*static_cast<const Args*>(a), *static_cast<const Args*>(s), 0);
    const Tensor& z = static_cast<const Args*>(s)->z;
    std::fill(z.as<double>(), z.as<double>() + n, not_judged);
  };
  EXPECT_NE(p.complaint().find("no element of z is judged"), std::string::npos) << p.complaint();
}

}  // namespace
