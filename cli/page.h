// The parts of a Markdown page that are written by this program: tables from result files, code
// from the sources. A block stands between two lines of its own:
//
//   <!-- results:BEGIN softmax -->                        the table of one op
//   <!-- results:BEGIN best -->                           one line an op
//   <!-- code:BEGIN 03_vector.cu vectorised -->           a function, whole
//   <!-- code:BEGIN 03_vector.cu vectorised | FROM | TO -->   its lines from the first that holds
//                                                         FROM to the next that holds TO
//   <!-- programs:BEGIN ../simt/tests/programs -->        what the programs of a folder show
//   <!-- measured:BEGIN ../tests/bench/shapes.json -->    what a benchmark wrote
//   <!-- results:END -->, <!-- code:END --> and so on
//
// A file is named as seen from the page. Lines that do not start with "<!--" are no markers.
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

// The page with its blocks filled anew; nothing is written. Throws Error naming page and line.
Page fill_page(const std::filesystem::path& root, const std::filesystem::path& file);

// Whole or not at all.
void write_page(const Page& page);

// The pages of the tree: *.md at the root and in docs/, and the lessons of the folders named, or of
// all.
std::vector<std::filesystem::path> find_pages(const std::filesystem::path& root,
                                              const std::vector<std::string>& folders);

// The folder of an op: its own name or the part before an underscore (softmax_backward lives in
// softmax); empty when there is none.
std::string folder_of(const std::filesystem::path& root, std::string op);

// Of a source file: the function or struct of that name, from its first line to its closing brace
// at column 0. Throws Error.
std::vector<std::string> find_definition(const std::vector<std::string>& lines,
                                         const std::string& name);

}  // namespace warpath::cli
