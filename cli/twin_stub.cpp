// Stubs of the twins: Python is cut by its indentation, WGSL by its braces.
#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <vector>

#include "cli/source_text.h"
#include "cli/stub.h"

namespace warpath::cli {
namespace {

constexpr std::size_t nowhere = std::string::npos;

// A function or a class at the outermost level of a Python file, as ranges of lines.
struct Definition {
  std::string name;
  std::size_t first = 0;          // its line, or that of its first decorator
  std::size_t body = 0, end = 0;  // of the lines below its head; past its last one
  bool kernel = false;            // @triton.jit
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string name_after(const std::string& line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && is_word(line[end])) ++end;
  return line.substr(at, end - at);
}

// The line past the one that ends a head: at its end no bracket is open.
std::size_t head_end(const std::vector<std::string>& lines, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < lines.size(); ++i) {
    for (const char c : lines[i]) depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (depth == 0) return i + 1;
  }
  return lines.size();
}

std::vector<Definition> definitions_of(const std::vector<std::string>& lines) {
  std::vector<Definition> all;
  std::size_t decorated = nowhere;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line.starts_with('@')) decorated = std::min(decorated, i);
    const std::size_t name = line.starts_with("def ")     ? 4
                             : line.starts_with("class ") ? 6
                                                          : nowhere;
    if (name == nowhere) continue;
    Definition d{name_after(line, name), std::min(decorated, i), head_end(lines, i), 0, false};
    for (std::size_t l = d.first; l < i; ++l) d.kernel |= lines[l].find("triton.jit") != nowhere;
    d.end = d.body;
    for (std::size_t l = d.body; l < lines.size(); ++l) {
      if (lines[l].empty()) continue;
      if (lines[l][0] != ' ') break;
      d.end = l + 1;
    }
    decorated = nowhere;
    all.push_back(d);
  }
  return all;
}

bool mentions(const std::vector<std::string>& lines, const Definition& d, const std::string& word) {
  for (std::size_t i = d.body; i < d.end; ++i)
    if (find_word(lines[i], word, 0) != nowhere) return true;
  return false;
}

// What another kernel calls is no kernel but a function of it.
bool is_called(const std::vector<std::string>& lines, const std::vector<Definition>& all,
               const Definition& kernel) {
  return std::any_of(all.begin(), all.end(), [&](const Definition& d) {
    return d.kernel && d.name != kernel.name && mentions(lines, d, kernel.name);
  });
}

// The kernels that a function names, or that the functions and classes it names do.
void collect_kernels(const std::vector<std::string>& lines, const std::vector<Definition>& all,
                     const Definition& from, std::set<std::string>& seen,
                     std::set<std::string>& kernels) {
  if (!seen.insert(from.name).second) return;
  for (const Definition& d : all) {
    if (!mentions(lines, from, d.name)) continue;
    if (!d.kernel)
      collect_kernels(lines, all, d, seen, kernels);
    else if (!is_called(lines, all, d))
      kernels.insert(d.name);
  }
}

// Past the docstring of a body; its first line if it has none.
std::size_t after_docstring(const std::vector<std::string>& lines, const Definition& d) {
  const std::string mark = "\"\"\"";
  if (d.body >= d.end) return d.body;
  const std::size_t open = lines[d.body].find(mark);
  if (open == nowhere || lines[d.body].find_first_not_of(' ') != open) return d.body;
  if (lines[d.body].find(mark, open + 3) != nowhere) return d.body + 1;
  for (std::size_t i = d.body + 1; i < d.end; ++i)
    if (lines[i].find(mark) != nowhere) return i + 1;
  return d.body;
}

}  // namespace

Stub triton_stub(const std::string& source, const std::string& op) {
  const std::vector<std::string> lines = lines_of(source);
  const std::vector<Definition> all = definitions_of(lines);
  std::set<std::string> seen, kernels;
  for (const Definition& d : all)
    if (d.name == op && !d.kernel) collect_kernels(lines, all, d, seen, kernels);
  Stub stub;
  std::size_t copied = 0;
  const auto copy_to = [&](std::size_t end) {
    for (; copied < end; ++copied) stub.text += lines[copied] + "\n";
  };
  for (const Definition& d : all) {
    if (!kernels.contains(d.name)) continue;
    copy_to(after_docstring(lines, d));
    stub.text += "    # Your code here.\n    pass\n";
    copied = d.end;
    ++stub.left_out;
  }
  copy_to(lines.size());
  return stub;
}

Stub wgsl_stub(const std::string& source, const std::string& op) {
  const std::string code = only_code(source);
  for (std::size_t at = find_word(code, "fn", 0); at != nowhere;
       at = find_word(code, "fn", at + 1)) {
    const std::size_t name = code.find_first_not_of(' ', at + 2);
    if (name == nowhere || name_after(code, name) != op) continue;
    const std::size_t open = code.find('{', name);
    int depth = 0;
    for (std::size_t i = open; i < code.size(); ++i) {
      depth += code[i] == '{' ? 1 : code[i] == '}' ? -1 : 0;
      if (depth == 0)
        return {source.substr(0, open + 1) + "\n  // Your code here.\n" + source.substr(i), 1};
    }
  }
  return {source, 0};
}

}  // namespace warpath::cli
