#include "cli/source_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

#include "cli/options.h"

namespace warpath::cli {
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw Refusal(fmt::format("cannot read {}", file.string()));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string only_code(const std::string& text) {
  std::string code = text;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < code.size(); ++i)
      if (code[i] != '\n') code[i] = ' ';
    return to;
  };
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = blank(i, std::min(text.find('\n', i), text.size()));
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = blank(i, end == std::string::npos ? text.size() : end + 2);
    } else if (text[i] == '"' || (text[i] == '\'' && (i == 0 || !is_word(text[i - 1])))) {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != text[i]) end += text[end] == '\\' ? 2 : 1;
      i = blank(i, end + 1);
    } else {
      ++i;
    }
  }
  return code;
}

std::size_t find_word(const std::string& code, std::string_view word, std::size_t from) {
  for (std::size_t at = code.find(word, from); at != std::string::npos;
       at = code.find(word, at + 1)) {
    const bool starts = at == 0 || !is_word(code[at - 1]);
    const std::size_t end = at + word.size();
    if (starts && (end == code.size() || !is_word(code[end]))) return at;
  }
  return std::string::npos;
}

std::string near_path(const std::filesystem::path& path) {
  const std::string near = path.lexically_relative(std::filesystem::current_path()).string();
  return near.empty() || near.starts_with("..") ? path.string() : near;
}

bool has_main(const std::filesystem::path& file) {
  const std::string code = only_code(read_text(file));
  for (std::size_t at = find_word(code, "main", 0); at != code.npos;
       at = find_word(code, "main", at + 4)) {
    const std::size_t next = code.find_first_not_of(" \t\n", at + 4);
    const std::size_t before = at == 0 ? code.npos : code.find_last_not_of(" \t\n", at - 1);
    if (next != code.npos && code[next] == '(' && before != code.npos && is_word(code[before]))
      return true;
  }
  return false;
}

std::vector<std::string> includes_of(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t at = line.find_first_not_of(" \t");
    if (at == std::string::npos || line[at] != '#') continue;
    at = line.find_first_not_of(" \t", at + 1);
    if (at == std::string::npos || line.compare(at, 7, "include") != 0) continue;
    const std::size_t open = line.find_first_of("<\"", at + 7);
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    if (close != std::string::npos) names.push_back(line.substr(open + 1, close - open - 1));
  }
  return names;
}

}  // namespace warpath::cli
