// From the words of a command line to a backend, ops, rungs, cases and types; a wrong word gets a
// helpful refusal.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "harness/library.h"
#include "harness/probe.h"
#include "harness/runner.h"

namespace warpath::cli {

struct Backend {
  std::string name;  // "simt", "cuda"
  bool gpu = false;
  harness::Probe probe;
};
// The one asked for, or the GPU when there is one. Refuses when there is none.
Backend choose_backend(const harness::Places& places, const std::string& asked);

struct OpEntry {
  std::string folder;
  const Op* op = nullptr;
  std::vector<harness::Contestant> contestants;
  std::vector<harness::Attempt> attempts;

  const std::string& name() const { return op->contract.name(); }
};

enum class RungSet { ladder, ladder_and_peers, wrong };

// The ops of one folder with their rungs; refuses when its library does not open.
std::vector<OpEntry> open_folder(const harness::Places& places, const std::string& folder,
                                 const std::string& backend, RungSet set);

// The ops that the names mean ("all", a folder, an op).
std::vector<OpEntry> find_ops(const harness::Places& places, const std::vector<std::string>& names,
                              const std::string& backend, RungSet set);

enum class Cases { small, bench, all };

// Keeps the rungs, cases and types asked for; ops left without any are dropped.
void narrow(std::vector<OpEntry>& ops, const Options& o, Cases which);

harness::Settings make_settings(const harness::Places& places, const Backend& backend,
                                const Options& o);

// The word of `known` nearest to a misspelt one, or empty when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);
std::string join(const std::vector<std::string>& words);

}  // namespace warpath::cli
