#include "cli/day_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/op_names.h"
#include "cli/source_text.h"
#include "cli/terminal.h"

using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr std::size_t page_width = 92;

// Broken between words, with `indent` spaces before every line except the first.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string out;
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

void print_extra(const Course& course, const ExtraTask& e) {
  print_head(fmt::format("Also, {}: {}", e.mark, e.title));
  print_paragraph(e.task);
  if (!e.op.empty() && !course.ops.has(e.op))
    fmt::print("  {}\n", paint(Tone::dim, "not open yet: needs the op " + e.op));
}

void print_commands(const DayState& s) {
  print_head("Type");
  for (const CommandLine& c : s.commands) {
    fmt::print("  {}\n", paint(Tone::note, c.text));
    if (!c.why.empty()) fmt::print("      {}\n", paint(Tone::dim, c.why));
  }
}

}  // namespace

std::size_t Course::open(const Track& track) const {
  return static_cast<std::size_t>(std::count_if(track.days.begin(), track.days.end(),
                                                [&](const Day& d) { return ops.state(d).open(); }));
}

std::size_t Course::finished(const Track& track) const {
  return static_cast<std::size_t>(std::count_if(track.days.begin(), track.days.end(),
                                                [&](const Day& d) { return done.has(d.id()); }));
}

const Day* Course::next(const Track& track) const {
  for (const Day& d : track.days)
    if (!done.has(d.id()) && ops.state(d).open()) return &d;
  return nullptr;
}

const Track& Course::current() const {
  const std::string latest = done.latest();
  for (const Track& t : tracks)
    for (const Day& d : t.days)
      if (d.id() == latest) return t;
  return tracks.front();
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

void print_head(const std::string& text) {
  fmt::print("\n{}\n", paint(Tone::strong, text));
}

void print_paragraph(const std::string& text) {
  fmt::print("  {}\n", wrapped(text, 2));
}

void print_day(const Course& course, const Day& d) {
  const DayState s = course.ops.state(d);
  fmt::print("{}  {}{}\n", paint(Tone::strong, d.id()), paint(Tone::strong, d.title),
             d.korean.empty() ? "" : "  " + d.korean);
  std::string facts = fmt::format("{}; about {} minutes", target_text(d), d.minutes);
  if (!d.mark.empty()) facts += "; " + d.mark;
  if (d.gpu) facts += "; the times need an NVIDIA GPU";
  if (course.done.has(d.id())) facts += "; done " + course.done.when(d.id());
  fmt::print("{}\n", paint(Tone::dim, facts));
  if (!s.open()) fmt::print("{}\n", paint(Tone::bad, "not open yet: needs " + join(s.missing)));

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
  if (s.open()) print_commands(s);
  for (const ExtraTask& e : d.extra) print_extra(course, e);

  fmt::print("\n");
  if (!s.lesson.empty())
    fmt::print("read: {}\n", near_path(harness::find_places().root / s.lesson));
  const Track& track = find_track(course.tracks, d.track);
  for (const int number : d.after) {
    const Day& before = *track.find(number);
    fmt::print("comes after {} {}{}\n", before.id(), before.title,
               course.done.has(before.id()) ? " (done)" : "");
  }
  const auto grades = [&](const CommandLine& c) { return c.text == "./warpath grade " + d.id(); };
  const bool graded = std::any_of(s.commands.begin(), s.commands.end(), grades);
  if (s.open() && !course.done.has(d.id()) && !graded)
    fmt::print("when it is done: {}\n", paint(Tone::note, "./warpath done " + d.id()));
}

}  // namespace warpath::cli
