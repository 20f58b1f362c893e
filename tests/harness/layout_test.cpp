// How a case lays out its inputs and chooses their types.
#include <gtest/gtest.h>

#include <cmath>

#include "core/host/error.h"
#include "harness/case_data.h"
#include "harness/plan.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

struct Args {
  Tensor x, y, add;

  static Contract contract() {
    return Contract("strided", "for the tests")
        .in("x", &Args::x, {"batch...", "rows", "cols"}, {DType::f32, DType::f16})
        .strided()
        .in("add", &Args::add, {"batch...", "rows", "cols"}, "y")
        .optional()
        .strided()
        .out("y", &Args::y, {"batch...", "rows", "cols"}, {DType::f32, DType::f16})
        .in_place("x");
  }
};

void copy(const Args& args, const Args&) {
  for (std::int64_t i = 0; i < args.x.size(); ++i) args.y.as<double>()[i] = args.x.as<double>()[i];
}

struct Sample {
  Sample() {
    op.contract = Args::contract();
    op.args_size = sizeof(Args);
    op.construct = [](void* a) { new (a) Args(); };
    op.cost = [](const void*) { return Cost{}; };
    op.tolerance = [](const void*) { return Tolerance{.out_ulps = 0}; };
    op.reference = [](const void* a, const void* s) {
      copy(*static_cast<const Args*>(a), *static_cast<const Args*>(s));
    };
    test.name = "sample";
    test.dims = {{"batch", 2}, {"rows", 3}, {"cols", 5}};
    test.without = {"add"};
  }
  std::vector<std::int64_t> strides(Layout layout) {
    test.layouts = {{"x", layout}};
    return make_plan(op, test, DType::f32).tensors[0].stride;
  }
  std::string complaint() const {
    try {
      check_case(op, test);
      return "";
    } catch (const Error& e) {
      return e.what();
    }
  }
  Op op;
  Case test;
};

using Strides = std::vector<std::int64_t>;

TEST(Layout, Strides) {
  Sample s;
  EXPECT_EQ(s.strides(Layout::rows), (Strides{15, 5, 1}));
  EXPECT_EQ(s.strides(Layout::columns), (Strides{15, 1, 3}));
  EXPECT_EQ(s.strides(Layout::padded), (Strides{56, 16, 1}));
  EXPECT_EQ(s.strides(Layout::padded_columns), (Strides{88, 1, 16}));
  EXPECT_EQ(s.strides(Layout::spread), (Strides{34, 11, 2}));
  EXPECT_EQ(s.strides(Layout::broadcast), (Strides{0, 5, 1}));
  EXPECT_EQ(s.strides(Layout::heads_first), (Strides{15, 1, 3}));
}

// Every element of x is where its strides say, gaps are NaN, and the reference sees the same
// numbers: y is the bits of x.
TEST(Layout, ValuesLieWhereTheStridesSay) {
  for (const Layout layout : {Layout::rows, Layout::columns, Layout::padded, Layout::padded_columns,
                              Layout::spread, Layout::broadcast, Layout::heads_first}) {
    Sample s;
    s.test.layouts = {{"x", layout}};
    const Plan plan = make_plan(s.op, s.test, DType::f32);
    const TensorPlan& x = plan.tensors[0];
    SharedArena inputs(plan.input_bytes);
    const CaseData problem(plan, 0, inputs);
    const float* memory = reinterpret_cast<const float*>(inputs.at(x.input_at));
    std::vector<float> y;
    for (std::int64_t b = 0; b < 2; ++b)
      for (std::int64_t r = 0; r < 3; ++r)
        for (std::int64_t c = 0; c < 5; ++c)
          y.push_back(memory[b * x.stride[0] + r * x.stride[1] + c * x.stride[2]]);
    EXPECT_TRUE(problem.judge(reinterpret_cast<const char*>(y.data())).passed) << name(layout);
    y[7] += 1;
    EXPECT_FALSE(problem.judge(reinterpret_cast<const char*>(y.data())).passed) << name(layout);
    std::int64_t gaps = 0;
    for (std::int64_t i = 0; i < x.bytes / 4; ++i) gaps += std::isnan(memory[i]);
    const std::int64_t elements = layout == Layout::broadcast ? 15 : 30;
    EXPECT_EQ(gaps, x.bytes / 4 - elements) << name(layout);
  }
}

TEST(Layout, ATypeOfItsOwn) {
  Sample s;
  s.test.types = {{"y", DType::f32}};
  s.test.without.clear();
  const Plan plan = make_plan(s.op, s.test, DType::f16);
  EXPECT_EQ(plan.tensors[0].dtype, DType::f16);
  EXPECT_EQ(plan.tensors[1].dtype, DType::f32) << "add has the type of y";
  EXPECT_EQ(plan.tensors[2].dtype, DType::f32);
  EXPECT_EQ(describe_case(s.op, s.test), "batch 2, cols 5, rows 3, y f32");
}

TEST(Layout, WhatIsLeftOutHasNoRank) {
  Sample s;
  ArgsBlob blob(make_plan(s.op, s.test, DType::f32));
  EXPECT_EQ(static_cast<const Args*>(blob.get())->add.rank, 0);
  EXPECT_EQ(static_cast<const Args*>(blob.get())->x.rank, 3);
}

TEST(Layout, AnOutputInTheMemoryOfAnInput) {
  Sample s;
  EXPECT_EQ(make_plan(s.op, s.test, DType::f32).tensors[2].shares, -1);
  s.test.in_place = {"y"};
  EXPECT_EQ(s.complaint(), "");
  EXPECT_EQ(make_plan(s.op, s.test, DType::f32).tensors[2].shares, 0);
  EXPECT_EQ(describe_case(s.op, s.test), "batch 2, cols 5, rows 3, no add, y in place");
  s.test.layouts = {{"x", Layout::padded}};
  const std::string other = "has 'y' in the memory of 'x', which has another shape, type or layout";
  EXPECT_NE(s.complaint().find(other), std::string::npos) << s.complaint();
  s.test.layouts = {};
  s.test.types = {{"y", DType::f16}};
  EXPECT_NE(s.complaint().find(other), std::string::npos) << s.complaint();
  s.test.types = {};
  s.test.in_place = {"x"};
  EXPECT_NE(s.complaint().find("has 'x' in place, which is no output that may be an input"),
            std::string::npos);
}

TEST(Layout, SingleTensorsCanStartElsewhere) {
  Sample s;
  s.test.offset = 1;
  s.test.offsets = {{"x", 3}};
  const Plan plan = make_plan(s.op, s.test, DType::f32);
  EXPECT_EQ(plan.tensors[0].offset, 3);
  EXPECT_EQ(plan.tensors[2].offset, 1);
  EXPECT_EQ(describe_case(s.op, s.test), "batch 2, cols 5, rows 3, no add, offset 1, x offset 3");
  EXPECT_EQ(s.complaint(), "");
  s.test.offsets = {{"z", 3}};
  EXPECT_NE(s.complaint().find("offsets 'z', which is no tensor"), std::string::npos);
}

TEST(Layout, MistakesAreNamed) {
  Sample s;
  s.test.layouts = {{"y", Layout::columns}};
  EXPECT_NE(s.complaint().find("lays out 'y', which is no input of any strides"),
            std::string::npos);
  s.test.layouts = {{"x", Layout::columns}};
  EXPECT_EQ(s.complaint(), "");
  s.test.types = {{"y", DType::i32}};
  EXPECT_NE(s.complaint().find("wants 'y' in a type it cannot have"), std::string::npos);
}

}  // namespace
