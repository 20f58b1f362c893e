// Waste that no single access shows: too much arithmetic, too many launches, too few blocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/xray_waste.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

bool in_global_memory(const XrayAccess& a) {
  return a.space == "global";
}

// How many times as much the timed case is.
double times_as_large(const XrayNeeds& needs) {
  if (needs.flops > 0 && needs.timed.flops > needs.flops && needs.flops > needs.least_bytes)
    return needs.timed.flops / needs.flops;
  return needs.least_bytes > 0 ? std::max(1.0, needs.timed.bytes / needs.least_bytes) : 1;
}

XrayWaste at_launch(const char* kind, const XrayLaunch& l, const char* lesson) {
  XrayWaste w;
  w.kind = kind;
  w.kernel = l.kernel;
  w.lesson = lesson;
  w.file = l.launched.file;
  w.line = l.launched.line;
  return w;
}

// More FMAs of warps than instructions: tensor cores do them. The instructions are counted about.
bool is_on_tensor_cores(double fmas, double instructions) {
  return fmas >= 1.2 * instructions;
}

double arithmetic_of(const XrayLaunch& l) {
  double instructions = 0;
  for (const XrayCode& c : l.code) instructions += c.arithmetic;
  return instructions;
}

}  // namespace

Prices::Prices(const GpuFacts& gpu)
    : cycles_per_second(gpu.fp32 * 1e12 / (2 * 32 * 4) / gpu.multiprocessors),
      new_sector(32 * cycles_per_second * gpu.multiprocessors / (gpu.bandwidth * 1e9)) {}

double meeting_price(const XrayAccess& a, const Prices& price) {
  return a.shared() ? price.shared_meeting : price.meeting;
}

double work_of(const XrayLaunch& l, const Prices& price) {
  double work = 0;
  for (const XrayAccess& a : l.accesses) {
    work += a.requests * price.request + (a.wavefronts + a.addresses) * price.wavefront;
    const double fresh = std::min(a.first_touches, a.sectors);
    work += fresh * price.new_sector + (a.sectors - fresh) * price.known_sector;
    if (a.atomic()) work += a.on_one_address * meeting_price(a, price);
  }
  for (const XrayCode& c : l.code)
    work += std::max(c.times * price.block_of_code, c.arithmetic * price.instruction);
  return work + l.barriers * ((l.threads() + 31) / 32.0) * price.barrier;
}

XrayRoof roof_of(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs) {
  double instructions = 0, warp_operations = 0;
  for (const XrayLaunch& l : launches) {
    instructions += l.all() * arithmetic_of(l);
    warp_operations += l.warp_operations;  // a product of tiles is one
  }
  const double rate = needs.tensor_cores ? needs.gpu->fp16_tensor
                      : needs.tf32       ? needs.gpu->tf32_tensor
                                         : 0;
  XrayRoof roof;
  roof.tensor_cores =
      rate > 0 && warp_operations > 0 && is_on_tensor_cores(needs.flops / 64, instructions);
  roof.tflops = roof.tensor_cores ? rate : needs.gpu->fp32;
  roof.ridge = roof.tflops * 1e12 / (needs.gpu->bandwidth * 1e9);
  return roof;
}

// Arithmetic is hidden behind memory and shared memory, up to the time that those take. FMAs that the op must do are no
// waste, unless tensor cores could do them.
void find_arithmetic(const XrayLaunch& l, double flops, bool tensor_cores, const Prices& price,
                     std::vector<XrayWaste>& into) {
  const double instructions = arithmetic_of(l);
  const XrayCode* most = nullptr;
  for (const XrayCode& c : l.code) {
    if (most == nullptr || c.arithmetic > most->arithmetic) most = &c;
  }
  double wavefronts = 0;
  for (const XrayAccess& a : l.accesses) wavefronts += a.wavefronts;
  const double fresh = l.sum(in_global_memory, &XrayAccess::first_touches),
               again = std::max(0.0, l.sum(in_global_memory, &XrayAccess::sectors) - fresh);
  const double moving = fresh * price.new_sector + again * price.known_sector,
               computing = instructions * price.instruction;
  const double fmas = flops / 64;  // of warps
  // A product's operands are read: what does more than this for each load are functions.
  double loads = 0;
  for (const XrayAccess& a : l.accesses)
    if (a.loads() && !a.bulk()) loads += a.requests;
  const bool products = fmas > 0.4 * instructions && !is_on_tensor_cores(fmas, instructions) &&
                        instructions < 24 * loads;
  const double hidden =
      std::max({moving, wavefronts * price.wavefront,
                tensor_cores ? 0.0 : std::min(fmas, instructions) * price.instruction});
  if (most == nullptr || computing <= hidden) return;
  XrayWaste w{"arithmetic", most->file, most->line, l.kernel, computing - hidden, 0, "", ""};
  w.lesson = products ? "ops/matmul/matmul" : "ops/elementwise/gelu";
  w.sentence = fmt::format(
      "{}:{} is the largest part of {} instructions of arithmetic, which take {} times as long as "
      "{}. {}",
      fs::path(most->file).filename().string(), most->line, short_count(instructions),
      with_digit(computing / std::max(1.0, hidden)),
      hidden == moving                         ? "moving the bytes"
      : hidden == wavefronts * price.wavefront ? "reading shared memory"
                                               : "the FMAs that the op must do",
      products && tensor_cores
          ? "Products of matrices are for the tensor cores."
          : "Compute once what is the same for several elements, and take shorter functions.");
  into.push_back(std::move(w));
}

void find_launches(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs,
                   const Prices& price, std::vector<XrayWaste>& into) {
  const double count = static_cast<double>(needs.timed.launches.size());
  if (count < 2) return;
  const double seconds = (count - 1) * price.launch_seconds;
  XrayWaste w = at_launch("launches", launches.front(), "ops/reduce/reduce");
  w.weight = seconds * price.cycles_per_second * needs.gpu->multiprocessors / times_as_large(needs);
  if (!needs.timed.grown) {  // another case: beside the time that it takes at least
    double work = 0;
    for (const XrayLaunch& l : launches) work += l.all() * work_of(l, price);
    w.weight = work * seconds /
               std::max(needs.timed.bytes / (needs.gpu->bandwidth * 1e9),
                        needs.timed.flops / (roof_of(launches, needs).tflops * 1e12));
  }
  w.sentence = fmt::format(
      "{} is one of {} launches for {}: between two of them the GPU is idle for about 2 us, {:.0f} "
      "us in all. Do the work in fewer launches; the last block to finish can do what the next "
      "would.",
      where(w.file, w.line, w.kernel), with_digit(count), needs.timed.test, seconds * 1e6);
  into.push_back(std::move(w));
}

namespace {

// One after the other, each as often as it was launched.
std::vector<const XrayLaunch*> in_order(const std::vector<XrayLaunch>& launches) {
  std::vector<const XrayLaunch*> each;
  for (const XrayLaunch& l : launches)
    for (int i = 0; i < static_cast<int>(l.launches + 0.5); ++i) each.push_back(&l);
  return each;
}

// What each launch of the timed case does, as parts of what was counted. The largest kernel does what the case is larger
// by; others grow with their blocks. Where the two runs launch different kernels, blocks alone tell.
std::vector<double> work_of_timed(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs,
                                  const Prices& price) {
  const auto& timed = needs.timed.launches;
  const std::vector<const XrayLaunch*> each = in_order(launches);
  double all = 0, largest = 0;
  for (const XrayLaunch& l : launches) {
    all += l.all() * work_of(l, price);
    largest = std::max(largest, l.all() * work_of(l, price));
  }
  std::vector<double> work;
  double threads = 0;
  for (const XrayTimedLaunch& t : timed) threads += t.blocks * t.threads;
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (each.size() != timed.size()) {
      work.push_back(all * timed[i].blocks * timed[i].threads / threads);
      continue;
    }
    const XrayLaunch& l = *each[i];
    const double mine = l.all() / l.launches * work_of(l, price);
    const bool is_largest = l.all() * work_of(l, price) >= largest;
    const double before = std::max(1.0, l.blocks) * l.threads();
    work.push_back(is_largest ? mine
                              : mine * timed[i].blocks * timed[i].threads / before /
                                    times_as_large(needs));
  }
  return work;
}

}  // namespace

// Blocks are dealt out to the multiprocessors: the one with most of them decides.
void find_idle_multiprocessors(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs,
                               const Prices& price, std::vector<XrayWaste>& into) {
  if (!needs.timed.known()) return;
  const std::vector<double> work = work_of_timed(launches, needs, price);
  double all = 0;
  for (const double w : work) all += w;
  XrayWaste w;
  double worst = 0, weight = 0;
  for (std::size_t i = 0; i < work.size(); ++i) {
    if (work[i] < 0.1 * all) continue;  // a short one costs its launch
    const XrayTimedLaunch& t = needs.timed.launches[i];
    const double sms = needs.gpu->multiprocessors;
    // A multiprocessor that holds fewer blocks at last serves each of them sooner: only their number counts.
    const double rounds = t.blocks / sms, busy = rounds / std::ceil(rounds);
    if (busy > 0.95 || rounds <= 0) continue;
    const double idle = work[i] * (1 / busy - 1);
    weight += idle;
    if (idle <= worst) continue;
    worst = idle;
    const std::vector<const XrayLaunch*> each = in_order(launches);
    const XrayLaunch& largest = *std::max_element(
        launches.begin(), launches.end(), [&](const XrayLaunch& a, const XrayLaunch& b) {
          return a.all() * work_of(a, price) < b.all() * work_of(b, price);
        });
    w = at_launch("idle multiprocessors", each.size() == work.size() ? *each[i] : largest,
                  "ops/matmul/matmul");
    w.sentence = fmt::format(
        "{} {} {} block{} for {}: of the {} multiprocessors of the {} {:.0f}% are idle on average. "
        "Split the work over more blocks, or into parts of equal size.",
        where(w.file, w.line, w.kernel),
        work.size() == 1 ? "launches" : fmt::format("(launch {} of {}) has", i + 1, work.size()),
        short_count(t.blocks), t.blocks == 1 ? "" : "s", needs.timed.test, sms, needs.gpu->name,
        100 * (1 - busy));
  }
  w.weight = weight;
  if (worst > 0) into.push_back(std::move(w));
}

// Spilled registers go to local memory and come back once in every thread at least.
void find_spills(const XrayLaunch& l, const PtxasFacts& facts, const Prices& price,
                 std::vector<XrayWaste>& into) {
  if (facts.spill_loads == 0) return;
  const double warps = l.blocks_counted * ((l.threads() + 31) / 32);
  XrayWaste w;
  w.kind = "spills";
  w.kernel = l.kernel;
  w.file = l.defined.file;
  w.line = l.defined.line;
  w.bytes = warps * 32 * (facts.spill_loads + facts.spill_stores);
  w.weight = w.bytes / 32 * price.known_sector;
  w.sentence = fmt::format(
      "{} spills registers: ptxas stores {} bytes and loads {} bytes of local memory per thread "
      "that its {} registers cannot hold. Keep less per thread, or allow more registers "
      "(__launch_bounds__).",
      where(w.file, w.line, w.kernel), facts.spill_stores, facts.spill_loads, facts.registers);
  w.lesson = "docs/xray.md";
  into.push_back(std::move(w));
}

}  // namespace warpath::cli
