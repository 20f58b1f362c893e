// The name that somebody probably meant.
#pragma once
#include <string>
#include <vector>

namespace warpath {

// How many letters must be added, dropped or changed to make one text the other.
std::size_t edit_distance(const std::string& a, const std::string& b);

// The word of `known` nearest to a misspelt one, or empty when none is near.
std::string nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace warpath
