// A kernel that is run to be counted: which file, which case, what came of it.
#pragma once
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/xray_registers.h"
#include "cli/xray_waste.h"
#include "core/host/registry.h"
#include "harness/library.h"

namespace warpath::cli {

// What was run and what it counted.
struct Xray {
  std::string title;                  // "softmax/01_naive", "a"
  std::filesystem::path file;         // the source that was asked about; empty: unknown
  std::string test;                   // "case 'square' in f32"
  std::string shape;                  // of a timed case that was made small
  std::string note;                   // what a reader must know of the run; mostly empty
  std::string match;                  // of a plain kernel: how it was matched and launched
  double flops = 0, least_bytes = 0;  // of one run; 0: unknown
  XrayRoof roof;                      // that limits its arithmetic on the named GPU
  XrayTimed timed;                    // the case as it is timed
  nlohmann::json raw;
  std::vector<XrayLaunch> launches;
  std::vector<XrayWaste> all_waste, waste;  // all, and what is worth a sentence
  std::map<std::string, PtxasFacts> ptxas;  // by kernel; empty: nvcc is not here or was not asked

  PtxasFacts facts(const std::string& kernel) const;
};

// `word`: OP/RUNG, a file, a program, its JSON, or what --json printed. `op`: the op that a file's kernel is of; may be empty.
Xray take_xray(const harness::Places& places, const std::string& word, const std::string& op,
               const Options& o);

// A case with enough blocks to count and little enough to wait for; shapes that divide evenly before odd ones.
struct ChosenCase {
  const Case* test = nullptr;
  DType dtype = DType::f32;
  std::optional<Case> small = std::nullopt;  // what is run in its place
};
// `timed`: a timed one, made small, before the others.
ChosenCase choose_counted_case(const Op& op, const Rung& rung, const Options& o, bool timed = true);

const GpuFacts& gpu_of(const std::string& word);

}  // namespace warpath::cli
