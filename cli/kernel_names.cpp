#include "cli/kernel_names.h"

#include <cctype>
#include <map>

namespace warpath::cli {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string plain_name(const std::string& name) {
  std::string n = lower(name);
  for (const char* head : {"d_", "dev_", "g_"})
    if (n.starts_with(head) && n.size() > std::string(head).size())
      n = n.substr(std::string(head).size());
  for (const char* tail : {"_d", "_dev", "_ptr"})
    if (n.ends_with(tail) && n.size() > std::string(tail).size())
      n.resize(n.size() - std::string(tail).size());
  return n;
}

std::string size_name(const std::string& name) {
  static const std::map<std::string, std::string> other = {
      {"width", "cols"},    {"w", "cols"},      {"nx", "cols"},       {"columns", "cols"},
      {"ncols", "cols"},    {"n_cols", "cols"}, {"num_cols", "cols"}, {"height", "rows"},
      {"h", "rows"},        {"ny", "rows"},     {"nrows", "rows"},    {"n_rows", "rows"},
      {"num_rows", "rows"},
  };
  const std::string n = plain_name(name);
  const auto found = other.find(n);
  return found == other.end() ? n : found->second;
}

}  // namespace warpath::cli
