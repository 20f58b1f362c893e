// An exercise: one rung of an op, or its twin in Triton or WGSL, for a learner to write. Its parts lie in the op's folder:
// the solution is the rung's or the twin's file, the hints are in hints.md, and the stub is made from the solution.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/library.h"

namespace warpath::cli {

enum class Language { cuda, triton, wgsl };
const char* extension(Language language);  // ".cu"

struct Exercise {
  std::string day;  // A12, where it was named by its day or its file was started for it
  harness::OpFolder folder;
  std::string rung;  // softmax/backward_01_naive: the file's name without .cu; of a twin, the op
  Language language = Language::cuda;

  bool is_twin() const { return language != Language::cuda; }
  // softmax/backward_01_naive, softmax/softmax_backward.py
  std::string name() const;
  std::string handle() const { return day.empty() ? name() : day; }  // what to type for it
  std::filesystem::path solution() const;
  std::filesystem::path mine() const;  // my/softmax/backward_01_naive.cu in the current folder
};

// "A12" (a day whose task is a kernel), "softmax/02_shared", "softmax/02", "softmax_backward/01", "softmax"
// (its first rung), "softmax.py" and "softmax.wgsl" (its twins), or the path of a stub. Refuses what is none of them and
// suggests the nearest.
Exercise find_exercise(const harness::Places& places, const std::string& word);

// Our program of a day whose task is one; none for another word.
std::optional<std::filesystem::path> program_of_day(const harness::Places& places,
                                                    const std::string& word);

// The one that the words of a command line name; without words, the one whose file in my/ was changed last.
Exercise named_exercise(const harness::Places& places, const std::vector<std::string>& words);

// The file of a folder's twin, and whether there is an exercise in it for the op.
std::filesystem::path twin_file(const harness::OpFolder& folder, Language language);
bool has_twin(const harness::OpFolder& folder, const std::string& op, Language language);

// The rungs of a folder that leave something for a learner to write.
std::vector<std::string> rungs_to_write(const harness::OpFolder& folder);

// What `start` writes.
std::string stub_text(const Exercise& exercise);

// In order, from a nudge to nearly the answer; none if hints.md has no section for the rung.
std::vector<std::string> hints_of(const Exercise& exercise);

}  // namespace warpath::cli
