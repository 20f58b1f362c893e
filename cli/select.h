// Turns the words of a command line into a backend, ops, rungs, cases and types. A wrong word gets
// a helpful refusal.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/op_names.h"
#include "cli/options.h"
#include "harness/library.h"
#include "harness/outcome.h"
#include "harness/probe.h"

namespace warpath::cli {

struct Backend {
  std::string name;  // "simt", "cuda"
  bool gpu = false;
  harness::Probe probe;
};
// The backend asked for, or the GPU when there is one. Refuses when there is none.
Backend choose_backend(const harness::Places& places, const std::string& asked);

using harness::OpEntry;

// None: only the ops, from their host libraries, which need no backend.
enum class RungSet { none, ladder, ladder_and_peers, wrong };

// The ops of one folder with their rungs; refuses when its library does not open.
std::vector<OpEntry> open_ops(const harness::Places& places, const NamedFolder& named,
                              const std::string& backend, RungSet set);

// The ops that the names stand for, as far as they are built for the backend.
std::vector<OpEntry> find_ops(const harness::Places& places, const std::vector<std::string>& names,
                              const std::string& backend, RungSet set);

enum class Cases { small, bench, all };

// Keeps the rungs asked for.
void narrow_rungs(std::vector<OpEntry>& ops, const std::vector<std::string>& words);
// Keeps the cases and types asked for.
// `without`: types that are left out where an op has others.
void narrow_cases(std::vector<OpEntry>& ops, const Options& o, Cases which,
                  const std::vector<DType>& without = {});
// Both; ops left without any are dropped.
void narrow(std::vector<OpEntry>& ops, const Options& o, Cases which);

// For --brief: of each case's types one, another from case to case.
void keep_one_type(std::vector<OpEntry>& ops);
// For a check that may end early: first a small case for each rung, which are needed, then the others from the smallest on.
void smallest_first(std::vector<OpEntry>& ops);

harness::Settings make_settings(const harness::Places& places, const Backend& backend,
                                const Options& o);

}  // namespace warpath::cli
