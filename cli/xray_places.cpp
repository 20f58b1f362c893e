#include "cli/xray_places.h"

#include <algorithm>
#include <filesystem>

#include "cli/source_text.h"

namespace warpath::cli {
namespace {

// "softmax<float, 4>" -> "softmax"
std::string bare_name(const std::string& kernel) {
  const std::string name = kernel.substr(0, kernel.find('<'));
  return name.substr(name.find_last_of(": ") + 1);  // npos + 1 is 0
}

Place place_of(const std::string& file, const std::string& code, std::size_t at) {
  const auto end = code.begin() + static_cast<std::ptrdiff_t>(at);
  return {file, 1 + static_cast<int>(std::count(code.begin(), end, '\n'))};
}

// "__global__ void __launch_bounds__(256) " before the name
bool is_definition(const std::string& code, std::size_t at) {
  const std::size_t before = at == 0 ? code.npos : code.find_last_of(";{}", at - 1);
  const std::size_t begin = before == code.npos ? 0 : before + 1;
  if (find_word(code.substr(begin, at - begin), "__global__", 0) == std::string::npos) return false;
  const std::size_t end = code.find_first_of(";{", at);  // a declaration ends with ;
  return end != code.npos && code[end] == '{';
}

// "<T, 4><<<" behind it
bool is_launch(const std::string& code, std::size_t at) {
  const std::size_t open = code.find("<<<", at);
  return open != code.npos && code.find_first_of(";{}", at) > open;
}

Place find(const std::string& file, const std::string& code, const std::string& name,
           bool (*is_wanted)(const std::string&, std::size_t)) {
  if (name.empty()) return {};
  for (std::size_t at = find_word(code, name, 0); at != code.npos;
       at = find_word(code, name, at + name.size()))
    if (is_wanted(code, at)) return place_of(file, code, at);
  return {};
}

}  // namespace

const std::string& SourceFiles::code_of(const std::string& file) {
  const auto [at, is_new] = code_.try_emplace(file);
  if (is_new && std::filesystem::is_regular_file(file)) at->second = only_code(read_text(file));
  return at->second;
}

Place SourceFiles::definition(const std::vector<std::string>& files, const std::string& kernel) {
  const std::string name = bare_name(kernel);
  for (const std::string& file : files)
    if (Place p = find(file, code_of(file), name, is_definition); p.line > 0) return p;
  return {};
}

Place SourceFiles::launch(const std::vector<std::string>& files, const std::string& kernel) {
  const std::string name = bare_name(kernel);
  for (const std::string& file : files)
    if (Place p = find(file, code_of(file), name, is_launch); p.line > 0) return p;
  return {};
}

}  // namespace warpath::cli
