// What the result files of a device lack: for `bench --missing`, which measures it, and --list, which needs no GPU.
#pragma once
#include <string>
#include <vector>

#include "cli/select.h"
#include "cli/source_digest.h"
#include "cli/taken_calls.h"
#include "harness/result_file.h"

namespace warpath::cli {

// Why a case is measured; the first comes first.
enum class Lack { never_timed, no_rung, no_peer, changed, not_here, unknown_code };
// "a rung that was never timed"
std::string words(Lack lack);

struct MissingCase {
  OpEntry entry;  // the one case and type, and who is timed
  Lack lack;
  std::vector<std::string> names;  // of the rungs and peers that are missing
  double work = 0;
};

// The cases of `entry` in which a rung or a peer that takes them has no time, or one of other or unknown code. Beside what is missing the
// fastest rung and the fastest peer of the file are timed, so that ratios are of times taken side by side. Rungs that would
// take longer than `patience` by their time in another case are not missing. `file`: null where there is none yet.
std::vector<MissingCase> missing_cases(const OpEntry& entry, const harness::ResultFile* file,
                                       int arch, double patience, SourceDigests& sources,
                                       TakenCalls& taken);

// The case to be measured next; null: none. The smallest of the most urgent: its times tell how long others would take.
const MissingCase* most_urgent(const std::vector<MissingCase>& cases);

// "toy 4096 f32"
std::string where(const MissingCase& m);

}  // namespace warpath::cli
