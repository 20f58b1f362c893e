// warpath days, day, done: the tracks of the course, the page of a day, what a learner has done.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/command.h"
#include "cli/course.h"
#include "cli/day_state.h"
#include "cli/done_days.h"
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

struct Course {
  std::vector<Track> tracks = load_course(harness::find_places().root);
  OpsOfTree ops{harness::find_places().root};
  DoneDays done = DoneDays::load();

  std::size_t open(const Track& t) const {
    return static_cast<std::size_t>(std::count_if(
        t.days.begin(), t.days.end(), [&](const Day& d) { return ops.state(d).open(); }));
  }
  std::size_t finished(const Track& t) const {
    return static_cast<std::size_t>(std::count_if(t.days.begin(), t.days.end(),
                                                  [&](const Day& d) { return done.has(d.id()); }));
  }
  // The first day that is open and not done.
  const Day* next(const Track& t) const {
    for (const Day& d : t.days)
      if (!done.has(d.id()) && ops.state(d).open()) return &d;
    return nullptr;
  }
  // The track of the day marked last; at the beginning, the first one.
  const Track& current() const {
    for (const Track& t : tracks)
      for (const Day& d : t.days)
        if (d.id() == done.latest()) return t;
    return tracks.front();
  }
};

// --- as data ----------------------------------------------------------------------------------

ordered_json day_json(const Course& course, const Day& d) {
  const DayState s = course.ops.state(d);
  ordered_json j = {{"id", d.id()}, {"day", d.number}, {"title", d.title}};
  if (!d.korean.empty()) j["korean"] = d.korean;
  j["kind"] = name(d.kind);
  const auto add_text = [&](const char* field, const std::string& text) {
    if (!text.empty()) j[field] = text;
  };
  add_text("op", d.op);
  add_text("rung", d.rung);
  add_text("file", s.rung.generic_string());
  add_text("mark", d.mark);
  add_text("program", d.program);
  add_text("flags", d.flags);
  j["open"] = s.open();
  if (!s.open()) j["missing"] = s.missing;
  j["done"] = course.done.has(d.id());
  j["gpu"] = d.gpu;
  j["minutes"] = d.minutes;
  j["after"] = ordered_json::array();
  for (const int before : d.after) j["after"].push_back(d.track + std::to_string(before));
  j["needs"] = d.needs;
  j["idea"] = d.idea;
  j["learn"] = d.learn;
  j["task"] = d.task;
  if (!d.prints.empty()) j["prints"] = d.prints;
  j["commands"] = ordered_json::array();
  for (const CommandLine& c : s.commands)
    j["commands"].push_back({{"command", c.text}, {"why", c.why}});
  add_text("lesson", s.lesson);
  for (const ExtraTask& e : d.extra)
    j["extra"].push_back({{"title", e.title},
                          {"mark", e.mark},
                          {"op", e.op},
                          {"rung", e.rung},
                          {"open", e.op.empty() || course.ops.has(e.op)},
                          {"task", e.task}});
  return j;
}

ordered_json track_json(const Course& course, const Track& t) {
  const Day* next = course.next(t);
  return {{"track", t.id},
          {"title", t.title},
          {"about", t.about},
          {"days", t.days.size()},
          {"open", course.open(t)},
          {"done", course.finished(t)},
          {"next", next ? ordered_json(next->id()) : ordered_json(nullptr)}};
}

// --- as text ----------------------------------------------------------------------------------

constexpr std::size_t page_width = 92;

// Broken between words, with `indent` spaces before every line except the first.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out, line;
  std::size_t columns = indent;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    const auto letters =
        static_cast<std::size_t>(std::count_if(word.begin(), word.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
        }));
    if (columns > indent && columns + 1 + letters > page_width) {
      out += "\n" + std::string(indent, ' ');
      columns = indent;
    } else if (columns > indent) {
      out += ' ';
      ++columns;
    }
    out += word;
    columns += letters;
    from = end + 1;
  }
  return out;
}

void print_paragraph(const std::string& text) {
  fmt::print("  {}\n", wrapped(text, 2));
}

void print_head(const char* text) {
  fmt::print("\n{}\n", paint(Tone::strong, text));
}

std::string target_text(const Day& d) {
  switch (d.kind) {
    case DayKind::op:
      return d.op + (d.rung.empty() ? "" : " " + d.rung);
    case DayKind::triton:
      return d.op + " in Triton";
    case DayKind::program:
      return "cc " + d.program + ".cu";
    case DayKind::study:
      return d.op.empty() ? "study" : "study: " + d.op;
    case DayKind::project:
      return d.op.empty() ? "project" : "project: " + d.op;
  }
  return "";
}

std::string closed_text(const DayState& s) {
  return "not open yet: needs " + join(s.missing);
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

void print_extra(const Course& course, const ExtraTask& e) {
  print_head(fmt::format("Also, {}: {}", e.mark, e.title).c_str());
  print_paragraph(e.task);
  if (!e.op.empty() && !course.ops.has(e.op))
    fmt::print("  {}\n", paint(Tone::dim, "not open yet: needs the op " + e.op));
}

void print_commands(const DayState& s) {
  print_head("Type");
  if (!s.open()) return print_paragraph(closed_text(s));
  for (const CommandLine& c : s.commands) {
    fmt::print("  {}\n", paint(Tone::note, c.text));
    if (!c.why.empty()) fmt::print("      {}\n", paint(Tone::dim, c.why));
  }
}

void print_day(const Course& course, const Track& t, const Day& d) {
  const DayState s = course.ops.state(d);
  fmt::print("{}  {}{}\n", paint(Tone::strong, d.id()), paint(Tone::strong, d.title),
             d.korean.empty() ? "" : "  " + d.korean);
  std::string facts = fmt::format("{}; about {} minutes", target_text(d), d.minutes);
  if (!d.mark.empty()) facts += "; " + d.mark;
  if (d.gpu) facts += "; the times need an NVIDIA GPU";
  if (course.done.has(d.id())) facts += "; done " + course.done.when(d.id());
  fmt::print("{}\n", paint(Tone::dim, facts));
  if (!s.open()) fmt::print("{}\n", paint(Tone::bad, closed_text(s)));

  print_head("The idea");
  for (const std::string& paragraph : d.idea) {
    if (&paragraph != &d.idea.front()) fmt::print("\n");
    print_paragraph(paragraph);
  }
  print_head("Learn");
  for (const std::string& line : d.learn) fmt::print("  - {}\n", wrapped(line, 4));
  print_head("Task");
  print_paragraph(d.task);
  if (!d.prints.empty()) {
    fmt::print("  It prints:\n");
    for (const std::string& line : d.prints) fmt::print("      {}\n", line);
  }
  print_commands(s);
  for (const ExtraTask& e : d.extra) print_extra(course, e);

  fmt::print("\n");
  if (!s.lesson.empty()) fmt::print("read: {}\n", s.lesson);
  for (const int number : d.after) {
    const Day& before = *t.find(number);
    fmt::print("comes after {} {}{}\n", before.id(), before.title,
               course.done.has(before.id()) ? " (done)" : "");
  }
  if (s.open() && !course.done.has(d.id()))
    fmt::print("when it is done: {}\n", paint(Tone::note, "./warpath done " + d.id()));
}

// --- the commands -----------------------------------------------------------------------------

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
  j["pages"] = ordered_json::array();
  for (const Day& d : track.days) j["pages"].push_back(day_json(course, d));
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
    print_day(course, find_track(course.tracks, meant.track), meant);
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
