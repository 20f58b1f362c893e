// warpath days, day, done: the tracks of the course, the page of a day, marking a day as done.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/command.h"
#include "cli/day_page.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/terminal.h"

using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* days_examples = R"(
Examples:
  ./warpath days              the tracks: how many days, how many are open, how far you are
  ./warpath days B            the days of one track
  ./warpath days B --json     the same as data, every day's page in it

A day is open when the op it is about is in this tree. How days work: docs/learning.md.
Exit status: 0; 2 the command, a track's file or the progress file is wrong.)";

constexpr const char* day_examples = R"(
Examples:
  ./warpath day A12           the page of one day: idea, what to learn, task, commands
  ./warpath day B             the next day of a track
  ./warpath day               the next day of the track you marked last
  ./warpath day A12 --json

Exit status: 0; 2 there is no such day, or a file is wrong.)";

constexpr const char* done_examples = R"(
Examples:
  ./warpath done A12          marks a day
  ./warpath done A1 A2 A3
  ./warpath done --undo A12   takes the mark back

The marks are in my/progress.json of the current folder, or in the file that WARPATH_PROGRESS names.
They stay on this machine.
Exit status: 0 written, 2 there is no such day, or the file cannot be read or written.)";

ordered_json track_json(const Course& course, const Track& t) {
  const Day* next = course.next(t);
  return {{"track", t.id},
          {"title", t.title},
          {"about", t.about},
          {"total", t.days.size()},
          {"open", course.open(t)},
          {"done", course.finished(t)},
          {"next", next ? ordered_json(next->id()) : ordered_json(nullptr)}};
}

void print_next(const Course& course, const Track& t) {
  if (const Day* next = course.next(t))
    fmt::print("{} ./warpath day {}  ({})\n", paint(Tone::note, "next:"), next->id(), next->title);
  else
    fmt::print("every open day of track {} is done\n", t.id);
}

void print_tracks(const Course& course) {
  Table table({"track", "days", "open", "done", ""}, "lrrrl");
  for (const Track& t : course.tracks)
    table.add({{t.id, Tone::strong},
               std::to_string(t.days.size()),
               std::to_string(course.open(t)),
               {std::to_string(course.finished(t)), course.finished(t) ? Tone::good : Tone::dim},
               {t.title}});
  table.print();
  fmt::print("\n./warpath days {} shows the days of one; marks are in {}\n",
             course.tracks.front().id, course.done.file().string());
  print_next(course, course.current());
}

Cell state_cell(const Course& course, const Day& d, const Day* next) {
  if (course.done.has(d.id())) return {"done", Tone::good};
  const DayState s = course.ops.state(d);
  if (!s.open()) {
    std::string what = s.missing.front();
    for (const char* lead : {"the op ", "the "})
      if (what.starts_with(lead)) what.erase(0, std::string(lead).size());
    return {"needs " + what, Tone::dim};
  }
  return &d == next ? Cell("next", Tone::note) : Cell("open");
}

void print_days(const Course& course, const Track& t) {
  fmt::print("{}  {}\n", paint(Tone::strong, "track " + t.id), t.title);
  print_paragraph(t.about);
  const Day* next = course.next(t);
  std::vector<Section> parts = t.parts;
  if (parts.empty() || parts.front().day > t.days.front().number)
    parts.insert(parts.begin(), Section{});
  for (std::size_t p = 0; p < parts.size(); ++p) {
    fmt::print("\n");
    if (!parts[p].title.empty())
      fmt::print("{}{}\n", paint(Tone::strong, parts[p].title),
                 parts[p].korean.empty() ? "" : "  " + parts[p].korean);
    Table table({"", "", "", "", "", ""}, "llllrl");
    for (const Day& d : t.days) {
      if (d.number < parts[p].day || (p + 1 < parts.size() && d.number >= parts[p + 1].day))
        continue;
      table.add({{d.id(), Tone::strong},
                 d.title + (d.mark.empty() ? "" : " (" + d.mark + ")"),
                 {target_text(d), Tone::dim},
                 state_cell(course, d, next),
                 {fmt::format("{} min", d.minutes), Tone::dim},
                 d.korean});
    }
    table.print();
  }
  if (!t.wishes.empty()) print_head("And then, if you still want more");
  for (const Wish& w : t.wishes) {
    print_paragraph(fmt::format("{}: {}", w.title, w.task));
    if (!w.op.empty() && !course.ops.has(w.op))
      fmt::print("    {}\n", paint(Tone::dim, "not open yet: needs the op " + w.op));
  }
  fmt::print("\n{} days, {} open, {} done\n", t.days.size(), course.open(t), course.finished(t));
  print_next(course, t);
}

std::string one_name(const Options& o, const char* what) {
  if (o.names.size() > 1) throw Refusal(fmt::format("one {} at a time", what));
  return o.names.empty() ? "" : o.names.front();
}

int days(const Options& o) {
  const std::string word = one_name(o, "track");
  const Course course;
  if (word.empty()) {
    if (!o.json) return print_tracks(course), all_passed;
    ordered_json j = {{"tracks", ordered_json::array()}, {"progress", course.done.file().string()}};
    for (const Track& t : course.tracks) j["tracks"].push_back(track_json(course, t));
    print_json(j);
    return all_passed;
  }
  const Track& track = find_track(course.tracks, word);
  if (!o.json) return print_days(course, track), all_passed;
  ordered_json j = track_json(course, track);
  j["days"] = ordered_json::array();
  for (const Day& d : track.days) j["days"].push_back(day_json(course, d));
  for (const Wish& w : track.wishes)
    j["wishes"].push_back({{"title", w.title}, {"op", w.op}, {"task", w.task}});
  print_json(j);
  return all_passed;
}

// The day a word means: itself, the next one of a track, or without a word the next one of all.
const Day& meant_day(const Course& course, const std::string& word) {
  if (std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); }))
    return find_day(course.tracks, word);
  const Track& track = word.empty() ? course.current() : find_track(course.tracks, word);
  if (const Day* next = course.next(track)) return *next;
  throw Refusal(
      fmt::format("every open day of track {} is done; ./warpath days lists the others", track.id));
}

int day(const Options& o) {
  const std::string word = one_name(o, "day");
  const Course course;
  const Day& meant = meant_day(course, word);
  if (o.json)
    print_json(day_json(course, meant));
  else
    print_day(course, meant);
  return all_passed;
}

int done(const Options& o) {
  Course course;
  std::vector<const Day*> meant;
  for (const std::string& word : o.names) meant.push_back(&find_day(course.tracks, word));
  for (const Day* d : meant) {
    if (o.undo && !course.done.remove(d->id()))
      throw Refusal(fmt::format("{} is not marked as done", d->id()));
    if (!o.undo) course.done.add(d->id(), today(), "hand");
  }
  course.done.save();
  const Track& track = find_track(course.tracks, meant.back()->track);
  if (o.json) {
    ordered_json j = track_json(course, track);
    j["progress"] = course.done.file().string();
    print_json(j);
    return all_passed;
  }
  for (const Day* d : meant)
    fmt::print("{} {} {}\n", d->id(), d->title,
               o.undo ? "is not done any more" : paint(Tone::good, "is done"));
  fmt::print("track {}: {} of {} days; {}\n", track.id, course.finished(track), track.days.size(),
             course.done.file().string());
  print_next(course, track);
  return all_passed;
}

}  // namespace

const Command days_command = {"days", "the tracks of the course and their days", days_examples,
                              [](Flags& flags, Options& o) {
                                flags.words("track", o.names, "A to E; none: all tracks", false);
                                add_json_flag(flags, o);
                              },
                              days};

const Command day_command = {"day", "the page of one day: idea, task, commands", day_examples,
                             [](Flags& flags, Options& o) {
                               flags.words("day", o.names, "a day as A12, or a track: its next day",
                                           false);
                               add_json_flag(flags, o);
                             },
                             day};

const Command done_command = {"done", "marks a day of the course as done", done_examples,
                              [](Flags& flags, Options& o) {
                                flags.words("day", o.names, "days as A12", true);
                                flags.yes("--undo", o.undo, "take the mark back");
                                add_json_flag(flags, o);
                              },
                              done};

}  // namespace warpath::cli
