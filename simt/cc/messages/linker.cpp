#include "messages/linker.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace simt::cc {
namespace {

void replace_all(std::string& text, const std::string& what, const std::string& with) {
  if (what.empty()) return;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// "/usr/bin/ld: " and the like.
void drop_program(std::string& line) {
  const std::size_t colon = line.find(": ");
  if (colon == std::string::npos) return;
  const std::string program = line.substr(0, colon);
  const std::string name = program.substr(program.rfind('/') + 1);
  if (name == "ld" || name.rfind("ld.", 0) == 0 || name.find("-ld") != std::string::npos) {
    line.erase(0, colon + 2);
  }
}

// "file.cu:2:(.text+0x87)": newer linkers tell the place in the object behind the line.
void drop_section(std::string& line) {
  const std::size_t begin = line.find(":(.");
  const std::size_t end = begin == std::string::npos ? begin : line.find(')', begin);
  if (end != std::string::npos) line.erase(begin, end + 1 - begin);
}

// GNU ld does not read all of clang's line tables, and says so in the middle of other messages:
// "multiple definition of `f'; /usr/bin/ld: DWARF error: mangled line number section (bad file number)\n".
std::string without_dwarf_errors(std::string text) {
  for (std::size_t at; (at = text.find(": DWARF error: ")) != std::string::npos;) {
    const std::size_t before = at == 0 ? std::string::npos : text.find_last_of(" \n", at - 1);
    const std::size_t begin = before == std::string::npos ? 0 : before + 1;
    const std::size_t end = text.find('\n', at);
    text.erase(begin, end == std::string::npos ? end : end + 1 - begin);
  }
  return text;
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

}  // namespace

std::string readable_link_messages(const std::string& raw,
                                   const std::map<std::string, std::string>& sources,
                                   const std::string& here) {
  std::set<std::string> seen;
  std::string result;
  std::istringstream lines(without_dwarf_errors(raw));
  for (std::string line; std::getline(lines, line);) {
    drop_program(line);
    drop_section(line);
    const bool only_where =
        line.find(": in function `") != std::string::npos && ends_with(line, "':");
    // What the linker says further about a variable that it has not found.
    const bool only_more = line.find("relocation against ") != std::string::npos ||
                           line.find("creating DT_TEXTREL") != std::string::npos;
    if (only_where || only_more || line.rfind("collect2: ", 0) == 0) continue;
    if (line.find("undefined reference to `main'") != std::string::npos) {
      line =
          "warpath cc: there is no main function; -c compiles without linking, -shared makes a "
          "library";
    }
    for (const auto& [object, source] : sources) {
      replace_all(line, object + ":" + here + "/", "");  // the object, then the line in its source
      replace_all(line, object, source);
    }
    replace_all(line, here + "/", "");
    std::replace(line.begin(), line.end(), '`', '\'');
    for (const char* problem : {": undefined reference to ", ": multiple definition of "}) {
      replace_all(line, problem, std::string(": error") + problem);
    }
    if (!line.empty() && seen.insert(line).second) result += line + "\n";
  }
  return result;
}

}  // namespace simt::cc
