// What a word of the command line means among the ops: all of them, a family, a folder, one op of a folder.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/library.h"

namespace warpath::cli {

struct NamedFolder {
  std::string family;  // empty: not in the source tree
  std::string folder;
  std::string op;  // the only one meant; empty: all ops of the folder
};

// "softmax" is a folder, "softmax_backward" an op of it, "softmax/softmax" the same folder with its
// family, "norm" or "norm/" a family (the slash tells a family from an op of the same name), "all"
// everything. Refuses any other word and suggests the nearest. Sorted by family and folder.
std::vector<NamedFolder> named_folders(const harness::Places& places, const std::string& word);

// The names of all families and ops, for messages.
std::vector<std::string> known_names(const harness::Places& places);

// "no op 'sofmax'; did you mean 'softmax'?" in one line. `where`: "in mine.cu".
std::string did_you_mean(const std::string& kind, const std::string& word,
                         const std::vector<std::string>& known, const std::string& where = "");
// The same of a file that is not there: among those beside it with the same ending.
std::string no_file(const std::filesystem::path& file);
// Refuses the first of the words that names a .cu file which is not there.
void must_be_there(const std::vector<std::string>& words);
std::string join(const std::vector<std::string>& words);
void add_unique(std::vector<std::string>& words, const std::string& word);

}  // namespace warpath::cli
