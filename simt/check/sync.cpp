// Barriers and warp operations that not all threads reach.

#include <cstdlib>

#include "faults.h"
#include "faults/report.h"
#include "hooks.h"
#include "scheduler/grid.h"
#include "source_location.h"

namespace simt::check {
namespace {

// Some code of the kernel, to find its source by.
const void* code_of(const Grid& grid) {
  const void* code = grid.kernel.identity;
  if (code == nullptr) code = reinterpret_cast<const void*>(grid.kernel.run);
  return static_cast<const char*>(code) + 1;
}

Finding sync_finding(const Block& block, FindingKind kind, Site site) {
  Finding f = finding_here(kind, pc_of(site, code_of(*block.grid)));
  f.who = "in block " + describe(blockIdx);
  return f;
}

std::vector<unsigned> threads_gone(const Block& block) {
  std::vector<unsigned> gone;
  for (unsigned id = 0; id < block.thread_count; ++id) {
    if (block.has_exited(id)) gone.push_back(id);
  }
  return gone;
}

bool is_known(const Block& block, FindingKind kind, Site site, Site other) {
  const void* const code = code_of(*block.grid);
  return !is_news(kind, pc_of(site, code), pc_of(other, code), rank_of(block));
}

}  // namespace

void barriers_differ(Block& block, Site first, Site second) {
  if (!enabled.sync || is_known(block, "different barriers", second, first)) return;
  Finding f = sync_finding(block, "different barriers", second);
  f.what = "threads of one block wait at two different calls of a barrier";
  f.who = "thread " + describe(f.thread) + " of block " + describe(f.block) + " waits here";
  f.other = pc_of(first, code_of(*block.grid));
  f.other_who = "others of the block wait there";
  f.other_block = f.block;
  add(std::move(f));
}

void barrier_lacks(Block& block, Site site, unsigned arrived) {
  if (!enabled.sync || is_known(block, "incomplete barrier", site, {})) return;
  Finding f = sync_finding(block, "incomplete barrier", site);
  f.what = std::to_string(arrived) + " of " + std::to_string(block.thread_count) +
           " threads come to this barrier; threads " + ranges(threads_gone(block)) +
           " end without it";
  f.tail =
      "a barrier waits for every thread of the block: none may return before it, or skip the if or "
      "the loop that it stands in";
  add(std::move(f));
}

void warp_lacks(Block& block, const char* operation, Site site, unsigned mask, unsigned gone,
                bool returned) {
  if (!enabled.sync || is_known(block, "wrong mask", site, {})) return;
  std::vector<unsigned> lanes;
  for (; gone != 0; gone &= gone - 1) lanes.push_back(static_cast<unsigned>(__builtin_ctz(gone)));
  Finding f = sync_finding(block, "wrong mask", site);
  f.what = std::string(operation) + " with mask " + hexadecimal(mask) + " names lanes " +
           ranges(lanes) +
           (returned ? ", which have ended" : ", which it reads and the block does not have");
  add(std::move(f));
}

namespace {

FindingKind kind_of_fault(const Grid& grid) {
  const auto says = [&](const char* words) { return grid.report.find(words) != std::string::npos; };
  switch (grid.error) {
    case cudaErrorIllegalAddress:
    case cudaErrorInvalidAddressSpace:
      return "bad address";
    case cudaErrorMisalignedAddress:
      return "misaligned";
    case cudaErrorAssert:
      return "failed assert";
    case cudaErrorLaunchTimeout:
      return says(" was stopped") ? FindingKind("time limit") : FindingKind("deadlock");
    case cudaErrorLaunchFailure:
      return says("__trap was called") ? FindingKind("trap") : FindingKind("wrong operation");
    default:
      return "wrong operation";
  }
}

}  // namespace

// The runtime's report names locations as file:line; the lines themselves are added here.
void tell_fault(Grid& grid) {
  std::string lines;
  const void* first = nullptr;
  const std::string& report = grid.report;
  if (grid.error == cudaErrorAssert) {  // "file:line: function: …", as a GPU says it
    const std::size_t number = report.find_first_of("0123456789", report.find(':') + 1);
    if (number != report.npos) {
      const std::string file = report.substr(0, number - 1);
      const auto line = static_cast<unsigned>(std::strtoul(&report[number], nullptr, 10));
      first = pc_of(location_of(Site{file.c_str(), line}, code_of(grid)));
    }
  }
  for (std::size_t at = report.find("at "); at != report.npos; at = report.find("at ", at + 1)) {
    const std::size_t end = report.find_first_of(" ,\n", at + 3);
    const std::size_t colon = report.rfind(':', end);
    if (end == report.npos || colon == report.npos || colon < at + 3) continue;
    const std::string file = report.substr(at + 3, colon - at - 3);
    const auto line = static_cast<unsigned>(std::strtoul(report.c_str() + colon + 1, nullptr, 10));
    if (line == 0) continue;
    const SourceLocation location = location_of(Site{file.c_str(), line}, code_of(grid));
    if (first == nullptr) first = pc_of(location);
    const std::string text = "  " + short_name(location) + ": " + source_text(location) + "\n";
    if (lines.find(text) == lines.npos) lines += text;
  }
  grid.report += lines;
  add_fault(kind_of_fault(grid), report, name_of(grid), first);
}

}  // namespace simt::check
