#pragma once

// The findings as one JSON document; simt/README.md says what is in it.

#include <string>
#include <vector>

#include "findings.h"

namespace simt::check {

// `, "file": …, "line": …, "text": …`, nothing when the location is not known.
std::string location_fields(const void* pc);

std::string to_json(const std::vector<Entry>& entries);
void write_json(const std::string& file, const std::vector<Entry>& entries);

}  // namespace simt::check
