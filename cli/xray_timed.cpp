#include "cli/xray_timed.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "cli/call.h"
#include "core/host/error.h"
#include "harness/open_device.h"
#include "harness/process.h"

namespace warpath::cli {
namespace {

struct Recorded {
  const Rung* rung;
  const void* args;
};

// In a child: a launcher gets addresses at which there is nothing.
void record(const harness::Places& places, const Op& op, const Rung& rung,
            const harness::Plan& plan, const std::filesystem::path& into) {
  harness::ArgsBlob args = args_without_data(plan);
  const std::int64_t scratch = rung.scratch(args.get());
  for (const ArgSpec& a : op.contract.args())
    if (a.role == Role::scratch)
      scratch_at(args.get(), a) = {reinterpret_cast<void*>(std::uintptr_t{1} << 21), scratch};
  const harness::Device& device = harness::open_device(places.device_library("simt"));
  Recorded work{&rung, args.get()};
  std::vector<harness::LaunchShape> shapes(4096);
  int count = static_cast<int>(shapes.size());
  const char* failed = device.shapes(
      [](void* context, void* stream) {
        const auto* w = static_cast<const Recorded*>(context);
        w->rung->launch(w->args, static_cast<cudaStream_t>(stream));
      },
      &work, shapes.data(), &count);
  if (failed != nullptr || count > static_cast<int>(shapes.size())) return;
  shapes.resize(static_cast<std::size_t>(count));
  std::ofstream out(into);
  for (const harness::LaunchShape& s : shapes)
    out << double(s.grid[0]) * s.grid[1] * s.grid[2] << ' ' << s.block[0] * s.block[1] * s.block[2]
        << ' ' << s.shared << '\n';
}

bool takes(const Op& op, const Rung& rung, const Case& c, DType dtype) {
  return rung.supports(args_without_data(harness::make_plan(op, c, dtype)).get()).empty();
}

// The case, with its largest size halved until the rung takes it.
Case largest_taken(const Op& op, const Rung& rung, Case c, DType dtype) {
  while (!takes(op, rung, c, dtype)) {
    auto largest = c.dims.end();
    for (auto d = c.dims.begin(); d != c.dims.end(); ++d)
      if (largest == c.dims.end() || d->second > largest->second) largest = d;
    if (largest == c.dims.end() || largest->second < 2) throw Error("no size of it is taken");
    largest->second /= 2;
  }
  return c;
}

}  // namespace

XrayTimed record_timed(const harness::Places& places, const Op& op, const Rung& rung,
                       const Case& test, DType dtype) try {
  XrayTimed timed;
  const Case largest = largest_taken(op, rung, test, dtype);
  const harness::Plan plan = harness::make_plan(op, largest, dtype);
  const Cost cost = op.cost(harness::ArgsBlob(plan).get());
  timed.flops = cost.flops;
  timed.bytes = static_cast<double>(cost.bytes);
  harness::TemporaryFolder folder;
  const std::filesystem::path file = folder.file("launches");
  const pid_t child = harness::fork_child();
  if (child == 0) {
    try {
      record(places, op, rung, plan, file);
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  if (harness::wait_child(child) != 0) return timed;
  std::ifstream in(file);
  for (XrayTimedLaunch l; in >> l.blocks >> l.threads >> l.shared;) timed.launches.push_back(l);
  if (timed.known())
    timed.test =
        fmt::format("case '{}'{} in {}", test.name,
                    largest.dims == test.dims ? "" : ", as large as it takes it,", name(dtype));
  return timed;
} catch (const std::exception&) {
  return {};  // sizes that depend on each other
}

}  // namespace warpath::cli
