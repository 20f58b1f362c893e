#include "core/host/contract.h"

#include <gtest/gtest.h>

#include "core/host/error.h"
#include "core/host/parallel.h"
#include "harness/plan.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

enum class Mode : int { sum, max };

struct Args {
  Tensor x, offsets, y, bias;
  std::int64_t axis = 1;
  double scale = 1;
  bool causal = false;
  Mode mode = Mode::sum;

  static Contract contract() {
    return Contract("sample", "for the tests")
        .in("x", &Args::x, {"rows...", "cols"}, {DType::f32, DType::f16})
        .in("offsets", &Args::offsets, {"rows+1"}, {DType::i64})
        .index()
        .out("y", &Args::y, {"cols", "3"}, "x")
        .in("bias", &Args::bias, {"cols"}, "x")
        .optional()
        .integer("axis", &Args::axis, 1)
        .real("scale", &Args::scale, 0.5)
        .boolean("causal", &Args::causal, true)
        .choice("mode", &Args::mode, {"sum", "max"});
  }
};

struct Sample {
  Sample() {
    op.contract = Args::contract();
    op.args_size = sizeof(Args);
    op.construct = [](void* a) { new (a) Args(); };
    test.name = "sample";
    test.dims = {{"rows", 4}, {"cols", 6}};
  }
  Plan plan(DType d = DType::f32) const { return make_plan(op, test, d); }
  Op op;
  Case test;
};

alignas(64) char memory[4096];

// All tensors in place, as a launcher would be given them.
Args valid(const Sample& s, DType d = DType::f32) {
  const Plan plan = s.plan(d);
  ArgsBlob blob(plan);
  for (const TensorPlan& t : plan.tensors) blob.tensor(t).data = memory;
  return *static_cast<Args*>(blob.get());
}

std::string complaint(const Args& a) {
  try {
    check_args(Args::contract(), &a);
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(Contract, DimensionsAreRead) {
  const Dim leading = parse_dim("rows..."), plus = parse_dim("batch+1"), plain = parse_dim("3");
  EXPECT_TRUE(leading.leading);
  EXPECT_EQ(leading.name, "rows");
  EXPECT_EQ(plus.name, "batch");
  EXPECT_EQ(plus.plus, 1);
  EXPECT_EQ(plain.name, "");
  EXPECT_EQ(plain.plus, 3);
}

TEST(Contract, AValidCallPasses) {
  EXPECT_EQ(complaint(valid({})), "");
}

TEST(Contract, EachBrokenPromiseIsNamed) {
  Args a = valid({});
  a.y.shape[0] = 7;
  a.y.stride[0] = 3;
  EXPECT_NE(complaint(a).find("'y' has size 7 in dimension 0, not 6 as 'x' says"),
            std::string::npos)
      << complaint(a);
  a = valid({});
  a.offsets.shape[0] = 4;
  EXPECT_NE(complaint(a).find("'offsets' has size 4 in dimension 0, not 5"), std::string::npos)
      << complaint(a);
  a = valid({});
  a.y.dtype = DType::f16;
  EXPECT_NE(complaint(a).find("'y' is f16 but 'x' is f32"), std::string::npos) << complaint(a);
  a = valid({});
  a.x.dtype = DType::i32;
  EXPECT_NE(complaint(a).find("'x' is i32; allowed: f32 f16"), std::string::npos) << complaint(a);
  a = valid({});
  a.x.data = nullptr;
  EXPECT_NE(complaint(a).find("'x' has no data"), std::string::npos);
  a = valid({});
  a.x.data = memory + 2;
  EXPECT_NE(complaint(a).find("'x' is not aligned"), std::string::npos);
  a = valid({});
  a.x.stride[0] = 12;
  EXPECT_NE(complaint(a).find("'x' is not contiguous"), std::string::npos);
  a = valid({});
  a.x.rank = 1;
  EXPECT_NE(complaint(a).find("'x' has rank 1, not 2"), std::string::npos);
  a = valid({});
  a.bias.data = nullptr;
  EXPECT_EQ(complaint(a), "") << "optional";
}

// As a caller leaves it who forgets to set it: neither its rank nor its type is to blame, nor another argument.
TEST(Contract, AMissingTensorIsCalledMissing) {
  for (Tensor Args::*tensor : {&Args::x, &Args::offsets, &Args::y}) {
    Args a = valid({}, DType::f16);
    a.*tensor = Tensor{};
    const char* name = tensor == &Args::x ? "'x'" : tensor == &Args::y ? "'y'" : "'offsets'";
    EXPECT_EQ(complaint(a), std::string("sample: argument ") + name + " is missing");
  }
  Args a = valid({}, DType::f16);
  a.bias = Tensor{};
  EXPECT_EQ(complaint(a), "") << "optional";
  EXPECT_EQ(complaint(Args{}), "sample: argument 'x' is missing");
}

TEST(Plan, TypesShapesAndDefaults) {
  Sample s;
  s.test.scalars = {{"mode", "max"}, {"scale", 2.5}};
  const Plan plan = s.plan(DType::f16);
  ArgsBlob blob(plan);
  const Args& a = *static_cast<const Args*>(blob.get());
  EXPECT_EQ(a.x.dtype, DType::f16);
  EXPECT_EQ(a.y.dtype, DType::f16);
  EXPECT_EQ(a.offsets.dtype, DType::i64);
  EXPECT_EQ(a.offsets.shape[0], 5);
  EXPECT_EQ(a.y.shape[1], 3);
  EXPECT_EQ(a.axis, 1);
  EXPECT_EQ(a.scale, 2.5);
  EXPECT_EQ(a.causal, true);
  EXPECT_EQ(a.mode, Mode::max);
  EXPECT_EQ(describe_case(s.op, s.test), "cols 6, rows 4, mode max, scale 2.5");
}

TEST(Plan, AnOptionalTensorCanBeLeftOut) {
  Sample s;
  s.test.without = {"bias"};
  for (const TensorPlan& t : s.plan().tensors) EXPECT_EQ(t.present, t.spec->name != "bias");
}

TEST(Plan, MisspeltCasesAreRefused) {
  Sample s;
  check_case(s.op, s.test);
  s.test.dims["colums"] = 3;
  EXPECT_THROW(check_case(s.op, s.test), Error);
  s.test.dims.erase("colums");
  s.test.scalars = {{"scael", 3}};
  EXPECT_THROW(check_case(s.op, s.test), Error);
  s.test.scalars = {{"mode", "maximum"}};
  EXPECT_THROW(check_case(s.op, s.test), Error);
  s.test.scalars = {{"mode", 1}};
  EXPECT_THROW(check_case(s.op, s.test), Error) << "a choice is given by its name";
  s.test.scalars = {};
  s.test.without = {"x"};
  EXPECT_THROW(check_case(s.op, s.test), Error) << "not optional";
}

TEST(ParallelFor, VisitsEachIndexOnceAndPassesErrorsOn) {
  std::vector<int> seen(100003, 0);
  parallel_for(100003, 100, [&](std::int64_t i) { ++seen[static_cast<std::size_t>(i)]; });
  for (const int n : seen) ASSERT_EQ(n, 1);
  std::atomic<std::int64_t> total{0};
  parallel_for(1000, 7, [&](std::int64_t begin, std::int64_t end) { total += end - begin; });
  EXPECT_EQ(total, 1000);
  parallel_for(0, 7, [&](std::int64_t) { FAIL(); });
  EXPECT_THROW(parallel_for(1000, 1,
                            [](std::int64_t i) {
                              if (i == 500) throw Error("no");
                            }),
               Error);
}

}  // namespace
