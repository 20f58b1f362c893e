#pragma once

#include <map>
#include <string>

namespace simt::cc {

// What the linker said, for people: each line once, with the user's sources in location of
// temporary objects (`sources`, by their paths), and paths relative to the folder `here`.
std::string readable_link_messages(const std::string& raw,
                                   const std::map<std::string, std::string>& sources,
                                   const std::string& here);

}  // namespace simt::cc
