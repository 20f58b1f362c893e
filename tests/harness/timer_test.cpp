// The timer of the device library, built for this CPU: how often it launches. The times it measures
// here mean nothing.
#include <gtest/gtest.h>

#include "harness/buffer.h"
#include "harness/timing.h"
#include "harness/trial.h"

using namespace warpath::harness;

namespace {

struct Launches {
  int all = 0, samples = 0;
};

Launches launches(const TimerOptions& options) {
  const Device& device = open_device(WARPATH_DEVICE_SIMT);
  Launches n;
  std::vector<double> samples(static_cast<std::size_t>(options.max_samples), -1);
  const auto count = [](void* all, void*) { ++*static_cast<int*>(all); };
  must(device.time(&options, count, &n.all, samples.data(), &n.samples));
  for (int i = 0; i < n.samples; ++i) EXPECT_GE(samples[static_cast<std::size_t>(i)], 0);
  return n;
}

constexpr double an_hour = 3600, nothing = 1e-9;  // budgets: every launch is quick, or slow

TEST(Timer, AQuickLaunchIsWarmedUpAndEstimated) {
  const Launches n = launches({an_hour, 2, 3});
  EXPECT_EQ(n.samples, 3) << "as many as are allowed";
  EXPECT_EQ(n.all, 3 + 3);
}

TEST(Timer, AQuickLaunchThatIsKnownIsWarmedUp) {
  const Launches n = launches({an_hour, 2, 3, 5});
  EXPECT_EQ(n.samples, 3);
  EXPECT_EQ(n.all, 1 + 3);
}

TEST(Timer, ASlowLaunchIsWarmedUpOnce) {
  const Launches n = launches({nothing, 2, 3});
  EXPECT_EQ(n.samples, 2) << "as few as are allowed";
  EXPECT_EQ(n.all, 1 + 2);
  EXPECT_EQ(launches({nothing, 1, 3, 5}).all, 1) << "not again in the turns that follow";
}

TEST(Timer, TheFreeMemoryIsKnown) {
  std::int64_t bytes = 0;
  must(open_device(WARPATH_DEVICE_SIMT).free_memory(&bytes));
  EXPECT_GT(bytes, 0);
}

}  // namespace
