#pragma once

#include <random>
#include <string>
#include <vector>

using Random = std::mt19937;

// A changed copy of `text`: bytes, tokens, ranges, pieces of the other inputs.
std::string mutate(std::string text, const std::vector<std::string>& others, Random& random);
