#pragma once

#include <string>
#include <vector>

namespace simt::cc {

// "; did you mean 'WORD'?" with the known word nearest to a misspelt one; "" when none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& known);

}  // namespace simt::cc
