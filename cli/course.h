// The five tracks of the course: course/a.json to e.json, read and held to their rules.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace warpath::cli {

enum class DayKind { op, triton, program, study, project };
const char* name(DayKind kind);

// A second task of a day: what a curriculum adds to it as mandatory or optional.
struct ExtraTask {
  std::string title, mark, op, rung, task;
};

struct Day {
  std::string track;  // "A"
  int number = 0;
  std::string title, korean;  // Korean where the curriculum is in Korean
  DayKind kind = DayKind::study;
  std::string op, rung;            // which ladder, and where on it; empty: none, and any rung
  std::vector<std::string> needs;  // more ops without which there is nothing to do
  std::vector<std::string>
      see;                 // ops to look at once they are there; the day does not wait for them
  std::string mark;        // "mandatory", "optional", or empty
  bool gpu = false;        // times or a profiler: a GPU is needed for the whole task
  std::vector<int> after;  // days of this track that come before
  int minutes = 0;
  std::vector<std::string> idea;  // paragraphs
  std::vector<std::string> learn;
  std::string task;
  std::string program;                // of kind program: the name of the file, without .cu
  std::string flags;                  // of kind program: for the compiler
  std::vector<std::string> prints;    // what the program prints
  std::vector<std::string> commands;  // more lines to type: "./warpath …  # why"
  std::string lesson;                 // a page; empty: the op's own
  bool webgpu = false;                // of a track that compares with WebGPU
  std::vector<ExtraTask> extra;
  std::string id() const { return track + std::to_string(number); }
};

struct Section {  // days from this one on, up to the next section
  int day = 0;
  std::string title, korean;
};

// Beyond the last day: what the curriculum's author wished for.
struct Wish {
  std::string title, op, task;
};

struct Track {
  std::string id, title, about;
  bool webgpu = false;  // compares with it: a day's kernel may be written in WGSL too
  std::vector<Section> parts;
  std::vector<Day> days;
  std::vector<Wish> wishes;
  std::string numbers() const;  // "1 to 40, 45, 60"
  const Day* find(int number) const;
};

// One file. Throws Error in one line that names the file and the day.
Track load_track(const std::filesystem::path& file);
// All of them, by letter.
std::vector<Track> load_course(const std::filesystem::path& root);

// "B" or "b". Refuses any other word and suggests the nearest.
const Track& find_track(const std::vector<Track>& course, const std::string& word);
// "B12" or "b12". Refuses any other word and says which days there are.
const Day& find_day(const std::vector<Track>& course, const std::string& word);

}  // namespace warpath::cli
