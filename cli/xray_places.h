// Where a kernel begins and where it is launched, found in the text of its sources.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace warpath::cli {

// A line of a file; 0: it was not found.
struct Place {
  std::string file;
  int line = 0;
};

// Reads each file once.
class SourceFiles {
 public:
  // Where the kernel's definition has its name: in the first of the files that has it.
  Place definition(const std::vector<std::string>& files, const std::string& kernel);
  // The first `kernel<<<…>>>` in them.
  Place launch(const std::vector<std::string>& files, const std::string& kernel);

 private:
  const std::string& code_of(const std::string& file);
  std::map<std::string, std::string> code_;
};

}  // namespace warpath::cli
