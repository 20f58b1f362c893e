// The course as a learner has it: the tracks, what is open in this tree, what is done; and the page of a day.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/course.h"
#include "cli/day_state.h"
#include "cli/done_days.h"

namespace warpath::cli {

struct Course {
  std::vector<Track> tracks = load_course(harness::find_places().root);
  OpsOfTree ops{harness::find_places().root};
  DoneDays done = DoneDays::load();

  std::size_t open(const Track& track) const;      // how many days
  std::size_t finished(const Track& track) const;  // how many days
  // The first day that is open and not done, or none.
  const Day* next(const Track& track) const;
  // The track of the day marked last; at the beginning, the first one.
  const Track& current() const;
};

// "softmax 03_warp", "cc hello.cu": what the day is about, in a few words.
std::string target_text(const Day& day);

nlohmann::ordered_json day_json(const Course& course, const Day& day);
void print_day(const Course& course, const Day& day);

// On the terminal: a bold line, a paragraph broken between words.
void print_head(const std::string& text);
void print_paragraph(const std::string& text);

}  // namespace warpath::cli
