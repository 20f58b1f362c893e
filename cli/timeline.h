// A timeline by Nsight Systems, for `profile`.
#pragma once
#include <string>
#include <vector>

namespace warpath::cli {

// Runs `command` under nsys, if it is installed, and keeps the timeline in `name`.nsys-rep. Returns the line to be shown: where
// the file is, why there is none, or nothing where nsys is not installed. NSYS names another one.
std::string keep_timeline(const std::vector<std::string>& command, const std::string& name);

}  // namespace warpath::cli
