// ArgsBlock and the binding of dimension names, which the lab, the torch ops and ONNX Runtime
// share.
#include "core/host/args.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "core/host/choose.h"
#include "core/host/error.h"

namespace warpath {
namespace {

using Axes = std::vector<std::int64_t>;

struct Args {
  Tensor x, offsets, y;
  std::int64_t seed = 0;
  bool causal = false;

  static Contract contract() {
    return Contract("sample", "")
        .in("x", &Args::x, {"rows...", "cols", "2"}, {DType::f32, DType::f16})
        .strided()
        .in("offsets", &Args::offsets, {"batch+1"}, {DType::i64})
        .index()
        .out("y", &Args::y, {"rows...", "batch+2"}, {DType::f32, DType::f16})
        .integer("seed", &Args::seed, -7)
        .boolean("causal", &Args::causal, true);
  }
};

template <std::size_t bytes>
struct Large {
  Tensor x;
  char more[bytes];
};

template <class A>
Op op_of(Contract contract) {
  Op op;
  op.contract = std::move(contract);
  op.args_size = sizeof(A);
  op.construct = [](void* a) { new (a) A(); };
  return op;
}

std::string text(const std::optional<Bindings::Mismatch>& wrong) {
  return wrong ? wrong->text() : "";
}

TEST(ArgsBlock, HasTheContractsDefaults) {
  const Op op = op_of<Args>(Args::contract());
  ArgsBlock args(op);
  EXPECT_EQ(static_cast<const Args*>(args.get())->seed, -7);
  EXPECT_TRUE(static_cast<const Args*>(args.get())->causal);
  set_integer(args.get(), *op.contract.find("seed"), (std::int64_t{1} << 62) + 1);
  const ArgsBlock copy = args;
  EXPECT_EQ(std::memcmp(copy.get(), args.get(), args.size()), 0);
  EXPECT_NE(copy.get(), args.get());
  EXPECT_EQ(static_cast<const Args*>(copy.get())->seed, (std::int64_t{1} << 62) + 1);
}

TEST(ArgsBlock, TakesAStructOfAnySize) {
  const Op op = op_of<Large<5000>>(Contract("large", ""));
  ArgsBlock args(op);
  ASSERT_EQ(args.size(), sizeof(Large<5000>));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(args.get()) % 64, 0u);
  std::memset(args.get(), 3, args.size());
  const ArgsBlock copy = args;
  EXPECT_EQ(std::memcmp(copy.get(), args.get(), args.size()), 0);
}

TEST(Bindings, LeadingAxesAreBoundTogether) {
  const Contract c = Args::contract();
  const ArgSpec &x = *c.find("x"), &offsets = *c.find("offsets"), &y = *c.find("y");
  const Axes of_x = {4, 3, 5, 2}, of_offsets = {7};
  Bindings bindings;
  EXPECT_EQ(text(bindings.bind(x, of_x)), "");
  EXPECT_THROW(bindings.shape_of(y), Error) << "nothing has bound batch";
  ArgSpec left_out = y;
  left_out.optional = true;
  const Shape none_of_it = bindings.shape_of(left_out);
  EXPECT_EQ(Axes(none_of_it.sizes.begin(), none_of_it.sizes.begin() + none_of_it.rank),
            (Axes{4, 3, 0}));
  EXPECT_EQ(text(bindings.bind(offsets, of_offsets)), "");
  const Shape shape = bindings.shape_of(y);
  EXPECT_EQ(Axes(shape.sizes.begin(), shape.sizes.begin() + shape.rank), (Axes{4, 3, 8}));
  const Axes none = {5, 2}, other = {3, 4, 5, 2};
  EXPECT_EQ(text(bindings.bind(x, none)), "has rows = (), but 'x' has (4, 3)");
  EXPECT_EQ(text(bindings.bind(x, other)), "has rows = (3, 4), but 'x' has (4, 3)");
}

// Sizes that come from elsewhere: an integer scalar of that name, or two inputs one after the other.
struct Sized {
  Tensor a, b, best, joined;
  std::int64_t k = 1;

  static Contract contract() {
    return Contract("sized", "")
        .in("a", &Sized::a, {"n"}, {DType::f32})
        .in("b", &Sized::b, {"m"}, "a")
        .out("best", &Sized::best, {"k"}, "a")
        .out("joined", &Sized::joined, {"n+m"}, "a")
        .integer("k", &Sized::k, 1);
  }
};

TEST(Bindings, AScalarOrTwoInputsTellASize) {
  const Contract c = Sized::contract();
  const Axes of_a = {5}, of_b = {3}, eight = {8}, nine = {9}, two = {2};
  Sized args;
  args.k = 2;
  Bindings bindings;
  EXPECT_EQ(text(bindings.bind(*c.find("a"), of_a)), "");
  EXPECT_EQ(text(bindings.bind(*c.find("b"), of_b)), "");
  EXPECT_EQ(bindings.shape_of(*c.find("joined"), c, &args).sizes[0], 8);
  EXPECT_EQ(bindings.shape_of(*c.find("best"), c, &args).sizes[0], 2);
  EXPECT_EQ(text(bindings.bind(*c.find("joined"), eight)), "");
  EXPECT_NE(text(bindings.bind(*c.find("joined"), nine)), "");
  EXPECT_EQ(text(bindings.bind(*c.find("best"), two)), "");
  EXPECT_NO_THROW(bindings.check_scalars(c, &args));
  args.k = 3;
  EXPECT_THROW(bindings.check_scalars(c, &args), Error) << "the output has another size";
  args.k = -1;
  EXPECT_THROW(Bindings().shape_of(*c.find("best"), c, &args), Error) << "no size";
}

TEST(Bindings, EachMismatchIsNamed) {
  const Contract c = Args::contract();
  const Axes one = {1}, three = {4, 3}, empty = {0}, two = {2, 2};
  EXPECT_EQ(text(Bindings().bind(*c.find("x"), one)), "has 1 axis; it needs at least 2");
  EXPECT_EQ(text(Bindings().bind(*c.find("x"), three)), "has an axis of 3, not 2");
  EXPECT_EQ(text(Bindings().bind(*c.find("offsets"), empty)), "is too short in 'batch'");
  EXPECT_EQ(text(Bindings().bind(*c.find("offsets"), two)), "has 2 axes; it needs 1");
}

TEST(SetTensor, LeadingAxesBecomeOne) {
  const Contract c = Args::contract();
  Tensor t;
  set_tensor(t, *c.find("x"), &t, DType::f16, Axes{4, 3, 5, 2});
  EXPECT_EQ(t.rank, 3);
  EXPECT_EQ((Axes{t.shape[0], t.shape[1], t.shape[2]}), (Axes{12, 5, 2}));
  EXPECT_EQ((Axes{t.stride[0], t.stride[1], t.stride[2]}), (Axes{10, 2, 1}));
  set_tensor(t, *c.find("x"), &t, DType::f16, Axes{4, 3, 5, 2}, Axes{60, 20, 1, 5});
  EXPECT_EQ((Axes{t.stride[0], t.stride[1], t.stride[2]}), (Axes{20, 1, 5}));
  set_tensor(t, *c.find("x"), &t, DType::f16, Axes{5, 2});
  EXPECT_EQ(t.shape[0], 1) << "no leading axes";
}

TEST(SetTensor, OneStrideMustLeadThroughAllLeadingAxes) {
  EXPECT_EQ(merged_stride(Axes{4, 3}, Axes{30, 10}), 10);
  EXPECT_EQ(merged_stride(Axes{4, 1, 3}, Axes{30, 999, 10}), 10) << "an axis of one has any stride";
  EXPECT_EQ(merged_stride(Axes{4, 3}, Axes{0, 0}), 0) << "one matrix for all";
  EXPECT_EQ(merged_stride(Axes{4, 3}, Axes{10, 40}), -1);
  EXPECT_EQ(merged_stride(Axes{4, 3}, Axes{10, 0}), -1)
      << "the inner axis repeats, the outer does not";
  EXPECT_EQ(merged_stride(Axes{4, 3}, Axes{0, 10}), -1);
}

TEST(FindRung, ByNameOrABeginningOfIt) {
  std::vector<Rung> rungs(3);
  rungs[0].name = "01_naive", rungs[1].name = "02_shared", rungs[2].name = "02_shared_wide";
  const std::vector<const Rung*> ladder = {&rungs[0], &rungs[1], &rungs[2]};
  EXPECT_EQ(find_rung(ladder, "01").rung, &rungs[0]);
  EXPECT_EQ(find_rung(ladder, "02_shared").rung, &rungs[1]) << "its whole name";
  EXPECT_EQ(find_rung(ladder, "02").rung, nullptr);
  EXPECT_EQ(find_rung(ladder, "02").begun.size(), 2u);
  EXPECT_EQ(find_rung(ladder, "01_naif").rung, nullptr);
  EXPECT_EQ(find_rung(ladder, "01_naif").nearest, &rungs[0]);
  EXPECT_EQ(find_rung(ladder, "shared").nearest, &rungs[1]) << "without its number";
  EXPECT_EQ(find_rung(ladder, "abc").nearest, nullptr) << "near none of them";
  EXPECT_EQ(find_rung(ladder, "99").nearest, nullptr);
}

}  // namespace
}  // namespace warpath
