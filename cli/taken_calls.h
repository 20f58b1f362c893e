// Which calls rungs take, asked in a child process: on a GPU some rungs ask the driver, and a process that has done so cannot fork
// workers that use the GPU.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/select.h"

namespace warpath::cli {

class TakenCalls {
 public:
  // By attempt and contestant of the entry. An op is asked once.
  const std::vector<std::vector<bool>>& of(const OpEntry& entry);

 private:
  std::map<std::string, std::vector<std::vector<bool>>> known_;
};

}  // namespace warpath::cli
