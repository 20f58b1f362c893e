// One rung on one case, inside a worker process: buffers, launches, and every check of a launch
// that does not need the right answer. The parent judges the answer.
#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/device/device.h"
#include "harness/memory.h"
#include "harness/open_device.h"
#include "harness/plan.h"
#include "harness/worker.h"

namespace warpath::harness {

struct TrialSetup {
  const Op* op = nullptr;
  const Rung* rung = nullptr;
  std::filesystem::path device_library;
  const SharedArena* inputs = nullptr;
  const SharedArena* outputs = nullptr;
  std::filesystem::path check_library;  // of checked rungs; empty: not checked
};

// The commands that a worker for one rung answers:
//   {"do": "size", "case": index, "dtype": "f32"}
//       "bytes" of device memory that a check takes, "free": what the device has left
//   {"do": "check", "case": index, "dtype": "f32", "slot": offset, "launches": n}
//   {"do": "time", "seconds": s, "least": n, "most": n}
//       one turn at the case checked last: "samples" in microseconds
//   {"do": "hand_over", "slot": offset}
//       after the last turn: looks for damage, and gives the outputs. "same": they are, bit for bit, what the check gave,
//       and are not given again
//   {"do": "drop"}                                      gives its device memory back
// with {"status": "ok" | "skipped" | "failed", "reason": …}, and of checked rungs "findings": […].
// After "failed" the process is not to be trusted.
Worker::Serve serve_trials(const TrialSetup& setup);

}  // namespace warpath::harness
