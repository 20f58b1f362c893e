// What the fakes did, in order: one line each in the file that WARPATH_FAKE_LOG names, from every
// process.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

inline void fake_log(const std::string& line) {
  const char* path = std::getenv("WARPATH_FAKE_LOG");
  std::FILE* file = path ? std::fopen(path, "a") : nullptr;
  if (!file) return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}
