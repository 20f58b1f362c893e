#pragma once

// The findings as one JSON document; simt/README.md says what is in it.

#include <string>
#include <vector>

#include "findings.h"

namespace simt::check {

struct Entry {
  Finding finding;
  std::uint64_t count = 0;
};

void write_json(const std::string& file, const std::vector<Entry>& entries);

}  // namespace simt::check
