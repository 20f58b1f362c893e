#include "cli/page.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/doc_tables.h"
#include "cli/lesson_order.h"
#include "cli/result_tables.h"
#include "core/host/error.h"
#include "harness/library.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

std::string slurp(const fs::path& file) {
  std::ifstream in(file);
  if (!in) throw Error(file.string() + ": cannot be read");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string trim(const std::string& s) {
  const auto first = s.find_first_not_of(" \t\r"), last = s.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

// The text between "<!-- " and " -->" on a line of its own; empty when the line is no comment.
std::string comment_of(const std::string& line) {
  const std::string text = trim(line);
  if (!line.starts_with("<!--") || !text.ends_with("-->")) return "";
  return trim(text.substr(4, text.size() - 7));
}

// "name(" as a whole word, or "struct name".
bool names(const std::string& header, const std::string& name) {
  const auto in_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (std::size_t at = header.find(name); at != std::string::npos;
       at = header.find(name, at + 1)) {
    if (at > 0 && in_word(header[at - 1])) continue;
    const std::size_t end = at + name.size();
    if (end < header.size() && header[end] == '(') return true;
    if (end < header.size() && in_word(header[end])) continue;
    std::size_t scope = at;  // before "warpath::order::" of a specialisation
    while (scope > 0 && (in_word(header[scope - 1]) || header[scope - 1] == ':')) --scope;
    if (trim(header.substr(0, scope)).ends_with("struct")) return true;
  }
  return false;
}

bool starts_definition(const std::string& line) {
  if (line.empty() || std::isspace(static_cast<unsigned char>(line[0]))) return false;
  return line[0] != '}' && line[0] != '#' && !line.starts_with("//") &&
         !line.starts_with("namespace");
}

void dedent(std::vector<std::string>& lines) {
  std::size_t least = std::string::npos;
  for (const std::string& line : lines)
    if (!trim(line).empty() && line[0] != '#') least = std::min(least, line.find_first_not_of(' '));
  for (std::string& line : lines)
    if (line.size() >= least && line[0] != '#') line.erase(0, least);
}

std::vector<std::string> cut(const std::vector<std::string>& lines, const std::string& from,
                             const std::string& to) {
  const auto holds = [](const std::string& text) {
    return [&text](const std::string& line) { return line.find(text) != std::string::npos; };
  };
  const auto first = std::find_if(lines.begin(), lines.end(), holds(from));
  if (first == lines.end()) throw Error(fmt::format("no line holds '{}'", from));
  const auto last = std::find_if(first, lines.end(), holds(to));
  if (last == lines.end()) throw Error(fmt::format("no line after '{}' holds '{}'", from, to));
  return {first, last + 1};
}

// "FILE NAME" or "FILE NAME | FROM | TO"
std::string code_block(const fs::path& page, const std::string& words) {
  std::vector<std::string> parts;
  std::istringstream in(words);
  for (std::string part; std::getline(in, part, '|');) parts.push_back(trim(part));
  if (parts.size() != 1 && parts.size() != 3)
    throw Error("a code block is 'FILE NAME' or 'FILE NAME | FROM | TO'");
  std::istringstream head(parts[0]);
  std::string file, name, more;
  if (!(head >> file >> name) || head >> more)
    throw Error("a code block is 'FILE NAME' or 'FILE NAME | FROM | TO'");
  try {
    std::vector<std::string> code =
        find_definition(split_lines(slurp(page.parent_path() / file)), name);
    if (parts.size() == 3) code = cut(code, parts[1], parts[2]);
    dedent(code);
    return fmt::format("```cuda\n{}\n```\n", fmt::join(code, "\n"));
  } catch (const Error& e) {
    throw Error(fmt::format("{} {}: {}", file, name, e.what()));
  }
}

std::string results_block(const fs::path& root, const fs::path& page, const std::string& words) {
  const fs::path here = page.parent_path();
  if (words == "families") return family_table(root, here);
  const bool family_page = here.parent_path() == root / "ops";
  if (words == "family" && family_page) return best_table(here, here);
  const auto folder = harness::find_folder(root, words);
  if (!folder)
    throw Error(fmt::format(
        "'{}' is no op; a results block is the name of an op, 'families', or 'family' on the page "
        "of one",
        words));
  return op_table(folder->path, words, here);
}

const std::set<std::string> block_kinds = {"results",  "code",     "order",
                                           "programs", "measured", "course"};

std::string block(const fs::path& root, const fs::path& page, const std::string& kind,
                  const std::string& words) {
  const fs::path here = page.parent_path();
  if (kind == "code") return code_block(page, words);
  if (kind == "order") return lesson_list(root, here);
  if (kind == "course") return course_table(root);
  if (kind == "programs") return program_table((here / words).lexically_normal(), here);
  if (kind == "measured") return measured_table(here / words);
  return results_block(root, page, words);
}

}  // namespace

std::vector<std::string> find_definition(const std::vector<std::string>& lines,
                                         const std::string& name) {
  std::vector<std::string> found, chunk;
  std::string header;
  bool open = false;  // past the first line that ends with '{'
  int matches = 0;
  for (const std::string& line : lines) {
    if (chunk.empty() && !starts_definition(line)) continue;
    chunk.push_back(line);
    if (!open) header += line + "\n";
    const std::string text = trim(line);
    open = open || text.ends_with("{");
    const bool ends = open ? line.starts_with("}") : text.ends_with(";") || text.ends_with("}");
    if (!ends) continue;
    if (open && names(header, name) && ++matches == 1) found = chunk;
    chunk.clear();
    header.clear();
    open = false;
  }
  if (matches == 0) throw Error("no such function or struct");
  if (matches > 1) throw Error("is there more than once");
  return found;
}

Page fill_page(const fs::path& root, const fs::path& file) {
  Page page{file, slurp(file), ""};
  const std::vector<std::string> lines = split_lines(page.before);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    page.after += lines[i] + "\n";
    const std::string comment = comment_of(lines[i]);
    const auto colon = comment.find(":BEGIN");
    if (colon == std::string::npos) continue;
    const std::string kind = comment.substr(0, colon), words = trim(comment.substr(colon + 6));
    if (!block_kinds.contains(kind)) continue;
    const auto fail = [&](const std::string& why) {
      return Error(fmt::format("{}:{}: {}", file.lexically_relative(root).string(), i + 1, why));
    };
    std::size_t end = i + 1;
    while (end < lines.size() && comment_of(lines[end]).find(":BEGIN") == std::string::npos &&
           comment_of(lines[end]) != kind + ":END")
      ++end;
    if (end == lines.size() || comment_of(lines[end]) != kind + ":END")
      throw fail(fmt::format("the block has no '<!-- {}:END -->'", kind));
    try {
      page.after += block(root, file, kind, words);
    } catch (const Error& e) {
      throw fail(e.what());
    }
    page.after += lines[end] + "\n";
    i = end;
  }
  return page;
}

void write_page(const Page& page) {
  const fs::path beside = page.file.string() + "." + std::to_string(getpid()) + ".new";
  std::ofstream out(beside);
  out << page.after;
  out.close();
  if (!out) throw Error("cannot write " + beside.string());
  fs::rename(beside, page.file);
}

std::vector<fs::path> find_pages(const fs::path& root, const std::vector<std::string>& folders) {
  std::set<fs::path> pages;
  std::error_code ignored;
  for (const fs::path& folder : {root, root / "docs"})
    for (const auto& e : fs::directory_iterator(folder, ignored))
      if (e.path().extension() == ".md") pages.insert(e.path());
  for (const harness::OpFolder& f : harness::op_folders(root)) {
    if (!folders.empty() && std::find(folders.begin(), folders.end(), f.name) == folders.end())
      continue;
    for (const fs::path& page : {f.path / "README.md", f.path.parent_path() / "README.md"})
      if (fs::exists(page, ignored)) pages.insert(page);
  }
  return {pages.begin(), pages.end()};
}

}  // namespace warpath::cli
