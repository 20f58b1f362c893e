// What a solution may not do: the grader reads it before it runs it.
#pragma once
#include <string>
#include <vector>

namespace warpath::cli {

// Why `source`, handed in for the exercise that `solution` solves, is no solution: one sentence with
// the line each. A kernel is graded for what it computes, so it may use CUDA, what the solution
// includes, and little of the standard library; it may not look at the program that runs it.
std::vector<std::string> find_forbidden(const std::string& source, const std::string& solution);

}  // namespace warpath::cli
