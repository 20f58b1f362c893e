// What this machine has.
#pragma once
#include <string>
#include <vector>

#include "harness/library.h"
#include "harness/probe.h"

namespace warpath::cli {

struct Part {
  std::string name;
  bool found = false;
  std::string what;     // version, or why it is missing
  std::string package;  // the Debian package that provides it, if any
  bool needed = false;  // without it nothing runs on this CPU
};

// Compilers that simt was built and tested with; docs/cc.md says how far each was tried.
inline constexpr const char* tried_compilers =
    "g++ 12, 13 and 14; clang 19 for all but the checks (docs/cc.md says how far)";

struct Machine {
  std::vector<Part> tools;
  std::vector<Part> libraries;  // of op folders and devices, as far as they are built
  harness::Probe cpu, gpu;
  std::string cpu_name;
  unsigned cores = 0;
  bool usable() const { return cpu.ok() || gpu.ok(); }
  std::string install_command()
      const;  // one line for all that is missing; empty: nothing is missing
};
Machine look_around(const harness::Places& places);

}  // namespace warpath::cli
