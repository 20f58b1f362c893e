// Lists of tensors: what a contract says of them, the buffers of a case, and what a rung does to one of many.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/host/error.h"
#include "fakes/toy_lists.h"
#include "harness/library.h"
#include "harness/plan.h"
#include "harness/runner.h"

using namespace warpath;
using namespace warpath::harness;
using toy::Lists;

namespace {

alignas(64) char memory[4096];

struct Sample {
  Sample() {
    op.contract = Lists::contract();
    op.args_size = sizeof(Lists);
    op.construct = [](void* a) { new (a) Lists(); };
    test.name = "sample";
    test.lists = {{"tensors", {4, 0, 6}}};
  }
  Op op;
  Case test;
};

// A valid call, changed by `change`, and what is said about it.
template <class F>
std::string complaint(const Sample& s, F change) {
  const Plan plan = make_plan(s.op, s.test, DType::f16);
  ArgsBlob blob(plan);
  for (const TensorPlan& t : plan.tensors)
    if (t.present) blob.tensor(t).data = memory;
  change(*static_cast<Lists*>(blob.get()));
  try {
    check_args(s.op.contract, blob.get());
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

Tensor& at(const TensorList& list, int i) {
  return const_cast<Tensor&>(list[i]);
}

TEST(Lists, AValidCallPasses) {
  Sample s;
  EXPECT_EQ(complaint(s, [](Lists&) {}), "");
  s.test.without = {"extra"};
  EXPECT_EQ(complaint(s, [](Lists& a) { EXPECT_EQ(a.extra.at, nullptr); }), "");
  s.test.lists = {{"tensors", {}}};
  EXPECT_EQ(complaint(s, [](Lists& a) { EXPECT_EQ(a.x.count, 0); }), "");
}

TEST(Lists, EachBrokenPromiseIsNamed) {
  const Sample s;
  EXPECT_EQ(complaint(s, [](Lists& a) { a.total.count = 2; }),
            "toy_lists: argument 'total' has 2 tensors, not 3 as 'x' says");
  EXPECT_EQ(complaint(s, [](Lists& a) { at(a.total, 2).shape[0] = 5; }),
            "toy_lists: argument 'total' [2] has 5 elements, but 'x[2]' has 6");
  EXPECT_EQ(complaint(s, [](Lists& a) { at(a.x, 2).dtype = DType::f32; }),
            "toy_lists: argument 'x' [2] is f32, the first is another type");
  EXPECT_EQ(complaint(s, [](Lists& a) { at(a.extra, 0).dtype = DType::f16; }),
            "toy_lists: argument 'extra' is f16 but 'total' is f32");
  EXPECT_EQ(complaint(s, [](Lists& a) { at(a.x, 0).data = nullptr; }),
            "toy_lists: argument 'x' [0] has no data");
  EXPECT_EQ(complaint(s, [](Lists& a) { at(a.x, 0).data = memory + 1; }),
            "toy_lists: argument 'x' [0] is not aligned to its element size");
  EXPECT_EQ(complaint(s, [](Lists& a) { a.rate.shape[0] = 2; }),
            "toy_lists: argument 'rate' has size 2 in dimension 0, not 3 as 'x' says");
}

TEST(Lists, APlanHasATensorForEachElement) {
  const Sample s;
  const Plan plan = make_plan(s.op, s.test, DType::f16);
  std::vector<std::string> names;
  for (const TensorPlan& t : plan.tensors) names.push_back(t.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"x[0]", "x[1]", "x[2]", "total[0]", "total[1]", "total[2]",
                                      "extra[0]", "extra[1]", "extra[2]", "rate"}));
  EXPECT_EQ(plan.tensors[2].dtype, DType::f16);
  EXPECT_EQ(plan.tensors[5].dtype, DType::f32);
  ArgsBlob blob(plan);
  const ArgsBlob moved = std::move(blob);
  const Lists& a = *static_cast<const Lists*>(moved.get());
  EXPECT_EQ(a.x.count, 3);
  EXPECT_EQ(a.x[2].size(), 6);
  EXPECT_EQ(a.x.size(), 10);
  EXPECT_EQ(a.total.bytes(), 40);
  EXPECT_EQ(describe_case(s.op, s.test), "3 tensors of 0 to 6");
}

TEST(Lists, MisspeltCasesAreRefused) {
  Sample s;
  check_case(s.op, s.test);
  s.test.lists["tensor"] = {3};
  EXPECT_THROW(check_case(s.op, s.test), Error);
  s.test.lists = {};
  EXPECT_THROW(make_plan(s.op, s.test, DType::f32), Error);
}

std::vector<Record> run(const std::string& rung) {
  const std::filesystem::path lib = std::filesystem::path(WARPATH_FAKES) / "lists";
  const OpenLibrary library = open_library(lib / "toy_lists_simt.so");
  EXPECT_TRUE(library.ok()) << library.error;
  Settings settings;
  settings.device_library = lib / "device_simt.so";
  settings.timeout = 20;
  const Op& op = library.registry->ops.at(0);
  std::vector<Contestant> contestants;
  for (const Rung& r : library.registry->rungs)
    if (r.name == rung) contestants.push_back({&r, r.name});
  std::vector<Attempt> attempts;
  for (std::size_t i = 0; i < op.cases.size(); ++i) attempts.push_back({i, DType::f32});
  return run_op(settings, op, contestants, attempts);
}

// What is said about the case "several".
std::string reason(const std::string& rung) {
  for (const Record& r : run(rung))
    if (r.test == "several") return r.reason;
  return "not run";
}

TEST(Lists, AGoodRungPassesEveryCase) {
  const std::vector<Record> records = run("01_good");
  EXPECT_EQ(records.size(), 4u);
  for (const Record& r : records) EXPECT_EQ(r.status, Status::passed) << r.test << r.reason;
}

TEST(Lists, OneWrongTensorOfManyIsNamed) {
  EXPECT_EQ(reason("without_last").rfind("total[3][", 0), 0u);
  EXPECT_NE(reason("without_last").find("17 of 17 elements wrong"), std::string::npos)
      << reason("without_last");
  EXPECT_EQ(reason("past_the_end"), "wrote past the end of total[2] (byte 1 after it)");
  EXPECT_EQ(reason("changes_input"), "changed its input x[2][4]");
}

}  // namespace
