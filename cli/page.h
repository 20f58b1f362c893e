// The parts of a Markdown page that this program writes: tables from result files, code from the
// sources. Each such section is between two marker lines:
//
//   <!-- results:BEGIN softmax -->                        the table of one op
//   <!-- results:BEGIN family -->                         one line per op of this page's family
//   <!-- results:BEGIN families -->                       one line per family
//   <!-- order:BEGIN -->                                  the ops in the order to learn them
//   <!-- course:BEGIN -->                                 the tracks and their open days
//   <!-- code:BEGIN 03_vector.cu vectorised -->           a function, whole
//   <!-- code:BEGIN 03_vector.cu vectorised | FROM | TO -->   its lines from the first that holds
//                                                         FROM to the next that holds TO
//   <!-- programs:BEGIN ../simt/tests/programs -->        what the programs of a folder show
//   <!-- measured:BEGIN ../tests/bench/simt/shapes.json --> what a benchmark wrote
//   <!-- results:END -->, <!-- code:END --> and so on
//
// File names are relative to the page. A line that does not start with "<!--" is no marker.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace warpath::cli {

struct Page {
  std::filesystem::path file;
  std::string before, after;
  bool stale() const { return before != after; }
};

// The page with its sections filled in again; nothing is written. Throws Error naming page and
// line.
Page fill_page(const std::filesystem::path& root, const std::filesystem::path& file);

// Writes the whole page or nothing.
void write_page(const Page& page);

// The pages of the tree: *.md at the root and in docs/, and the lessons and family pages of the
// folders named, or of all.
std::vector<std::filesystem::path> find_pages(const std::filesystem::path& root,
                                              const std::vector<std::string>& folders);

// The function or struct of that name in a source file, from its first line to its closing brace at
// column 0. Throws Error.
std::vector<std::string> find_definition(const std::vector<std::string>& lines,
                                         const std::string& name);

}  // namespace warpath::cli
