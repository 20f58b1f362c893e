#include "cli/course.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/op_names.h"
#include "cli/options.h"
#include "core/host/error.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

using nlohmann::json;

constexpr DayKind day_kinds[] = {DayKind::op, DayKind::triton, DayKind::program, DayKind::study,
                                 DayKind::project};

// One object of a course file. Every field is asked for by its name, and one that nobody asked for
// is an error: a misspelt field would otherwise be lost without a word.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object) {
    if (!object.is_object()) throw Error("is no object");
  }

  const json* optional(const char* field) {
    asked_.push_back(field);
    const auto at = object_.find(field);
    return at == object_.end() ? nullptr : &*at;
  }
  const json& required(const char* field) {
    if (const json* value = optional(field)) return *value;
    throw Error(fmt::format("has no '{}'", field));
  }

  std::string text(const char* field) { return as_text(field, required(field)); }
  std::string text_or_none(const char* field) {
    const json* value = optional(field);
    return value ? as_text(field, *value) : "";
  }
  std::vector<std::string> texts(const char* field) {
    std::vector<std::string> all = texts_or_none(field);
    if (all.empty()) throw Error(fmt::format("has no '{}'", field));
    return all;
  }
  std::vector<std::string> texts_or_none(const char* field) {
    std::vector<std::string> all;
    if (const json* list = array(field))
      for (const json& value : *list) all.push_back(as_text(field, value));
    return all;
  }
  int number(const char* field, int least, int most) {
    return as_number(field, required(field), least, most);
  }
  std::vector<int> numbers(const json& list, const char* field, int least, int most) {
    if (!list.is_array()) throw Error(fmt::format("'{}' must be a list", field));
    std::vector<int> all;
    for (const json& value : list) all.push_back(as_number(field, value, least, most));
    return all;
  }
  bool yes(const char* field) {
    const json* value = optional(field);
    if (value && !value->is_boolean())
      throw Error(fmt::format("'{}' must be true or false", field));
    return value && value->get<bool>();
  }
  const json* array(const char* field) {
    const json* value = optional(field);
    if (value && !value->is_array()) throw Error(fmt::format("'{}' must be a list", field));
    return value;
  }

  void refuse_others() const {
    for (const auto& [field, value] : object_.items())
      if (std::find(asked_.begin(), asked_.end(), field) == asked_.end())
        throw Error(did_you_mean("field", field, asked_));
  }

 private:
  static std::string as_text(const char* field, const json& value) {
    if (!value.is_string() || value.get<std::string>().empty())
      throw Error(fmt::format("'{}' must be text", field));
    return value.get<std::string>();
  }
  static int as_number(const char* field, const json& value, int least, int most) {
    if (!value.is_number_integer() || value.get<long long>() < least ||
        value.get<long long>() > most)
      throw Error(fmt::format("'{}' must be a number from {} to {}", field, least, most));
    return value.get<int>();
  }

  const json& object_;
  std::vector<std::string> asked_;
};

void check_mark(const std::string& mark) {
  if (!mark.empty() && mark != "mandatory" && mark != "optional")
    throw Error("'mark' must be mandatory or optional");
}

void check_rung(const std::string& op, const std::string& rung) {
  if (!rung.empty() && op.empty()) throw Error("has a rung and no op");
}

DayKind kind_of(const std::string& word) {
  std::vector<std::string> known;
  for (const DayKind kind : day_kinds) {
    if (word == name(kind)) return kind;
    known.emplace_back(name(kind));
  }
  throw Error(did_you_mean("kind", word, known));
}

ExtraTask read_extra(const json& object) {
  Fields f(object);
  ExtraTask e{f.text("title"), f.text("mark"), f.text_or_none("op"), f.text_or_none("rung"),
              f.text("task")};
  f.refuse_others();
  check_mark(e.mark);
  check_rung(e.op, e.rung);
  return e;
}

Wish read_wish(const json& object) {
  Fields f(object);
  Wish w{f.text("title"), f.text_or_none("op"), f.text("task")};
  f.refuse_others();
  return w;
}

Section read_section(const json& object) {
  Fields f(object);
  Section p{f.number("day", 1, 1000), f.text("title"), f.text_or_none("korean")};
  f.refuse_others();
  return p;
}

// What a kind of day must have, and what only that kind may have.
void check_kind(const Day& d) {
  const bool needs_op = d.kind == DayKind::op || d.kind == DayKind::triton;
  const bool needs_commands = d.kind == DayKind::study || d.kind == DayKind::project;
  if (needs_op && d.op.empty())
    throw Error(fmt::format("is of kind {} and names no op", name(d.kind)));
  if (needs_commands && d.commands.empty())
    throw Error(fmt::format("is of kind {} and has no commands", name(d.kind)));
  if ((d.kind == DayKind::program) == d.program.empty())
    throw Error("'program' belongs to days of kind program, and to each of them");
  if (!(d.prints.empty() && d.flags.empty()) && d.kind != DayKind::program)
    throw Error("'prints' and 'flags' belong to days of kind program");
  check_mark(d.mark);
  check_rung(d.op, d.rung);
}

Day read_day(const std::string& track, const json& object, const Track& so_far) {
  Fields f(object);
  Day d;
  d.track = track;
  d.number = f.number("day", 1, 1000);
  d.title = f.text("title");
  d.korean = f.text_or_none("korean");
  d.kind = kind_of(f.text("kind"));
  d.op = f.text_or_none("op");
  d.rung = f.text_or_none("rung");
  d.needs = f.texts_or_none("needs");
  d.see = f.texts_or_none("see");
  d.mark = f.text_or_none("mark");
  d.gpu = f.yes("gpu");
  d.minutes = f.number("minutes", 5, 600);
  d.idea = f.texts("idea");
  d.learn = f.texts("learn");
  d.task = f.text("task");
  d.program = f.text_or_none("program");
  d.flags = f.text_or_none("flags");
  d.prints = f.texts_or_none("prints");
  d.commands = f.texts_or_none("commands");
  d.lesson = f.text_or_none("lesson");
  d.webgpu = so_far.webgpu;
  if (const json* extra = f.array("extra"))
    for (const json& e : *extra) d.extra.push_back(read_extra(e));
  if (const json* after = f.array("after"))
    d.after = f.numbers(*after, "after", 1, d.number - 1);
  else if (!so_far.days.empty())
    d.after = {so_far.days.back().number};
  f.refuse_others();
  check_kind(d);
  if (!so_far.days.empty() && so_far.days.back().number >= d.number)
    throw Error(fmt::format("comes after day {}", so_far.days.back().number));
  for (const int before : d.after)
    if (!so_far.find(before))
      throw Error(fmt::format("comes after day {}, which is not there", before));
  return d;
}

Track read_track(const json& object, const std::string& id) {
  Fields f(object);
  Track t{f.text("track"), f.text("title"), f.text("about"), f.yes("webgpu"), {}, {}, {}};
  if (t.id != id) throw Error(fmt::format("is track '{}', by its name it is '{}'", t.id, id));
  if (const json* parts = f.array("parts"))
    for (const json& p : *parts) t.parts.push_back(read_section(p));
  const json* days = f.array("days");
  if (!days || days->empty()) throw Error("has no days");
  int place = 0;
  for (const json& d : *days) {
    ++place;
    const bool numbered = d.is_object() && d.contains("day") && d["day"].is_number_integer();
    try {
      t.days.push_back(read_day(t.id, d, t));
    } catch (const Error& e) {
      throw Error(numbered ? fmt::format("day {}: {}", d["day"].get<long long>(), e.what())
                           : fmt::format("the {}. entry of days: {}", place, e.what()));
    }
  }
  if (const json* wishes = f.array("wishes"))
    for (const json& w : *wishes) t.wishes.push_back(read_wish(w));
  f.refuse_others();
  for (const Section& p : t.parts)
    if (!t.find(p.day))
      throw Error(fmt::format("a part begins with day {}, which is not there", p.day));
  return t;
}

std::string upper(std::string word) {
  for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

}  // namespace

const char* name(DayKind kind) {
  switch (kind) {
    case DayKind::op:
      return "op";
    case DayKind::triton:
      return "triton";
    case DayKind::program:
      return "program";
    case DayKind::study:
      return "study";
    case DayKind::project:
      return "project";
  }
  return "";
}

std::string Track::numbers() const {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < days.size();) {
    std::size_t last = i;
    while (last + 1 < days.size() && days[last + 1].number == days[last].number + 1) ++last;
    ranges.push_back(last == i ? std::to_string(days[i].number)
                               : fmt::format("{} to {}", days[i].number, days[last].number));
    i = last + 1;
  }
  return join(ranges);
}

const Day* Track::find(int number) const {
  const auto at =
      std::find_if(days.begin(), days.end(), [&](const Day& d) { return d.number == number; });
  return at == days.end() ? nullptr : &*at;
}

Track load_track(const fs::path& file) {
  const std::string shown = (file.parent_path().filename() / file.filename()).string();
  try {
    std::ifstream in(file);
    if (!in) throw Error("cannot be read");
    return read_track(json::parse(in), upper(file.stem().string()));
  } catch (const json::exception& e) {
    throw Error(fmt::format("{}: {}", shown, e.what()));
  } catch (const Error& e) {
    throw Error(fmt::format("{}: {}", shown, e.what()));
  }
}

std::vector<Track> load_course(const fs::path& root) {
  std::set<fs::path> files;  // sorted
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(root / "course", ignored))
    if (e.path().extension() == ".json" && e.path().stem().string().size() == 1)
      files.insert(e.path());
  if (files.empty())
    throw Error(
        fmt::format("no tracks in {}: the course is not there", (root / "course").string()));
  std::vector<Track> course;
  for (const fs::path& file : files) course.push_back(load_track(file));
  return course;
}

const Track& find_track(const std::vector<Track>& course, const std::string& word) {
  std::vector<std::string> known;
  for (const Track& t : course) {
    if (t.id == upper(word)) return t;
    known.push_back(t.id);
  }
  // Any letter is near any other: only the first one of a longer word tells what was meant.
  for (const std::string& letter : known)
    if (word.size() > 1 && upper(word.substr(0, 1)) == letter)
      throw Refusal(fmt::format("no track '{}'; did you mean '{}'?", word, letter));
  throw Refusal(fmt::format("no track '{}'; there are: {}", word, join(known)));
}

const Day& find_day(const std::vector<Track>& course, const std::string& word) {
  const auto digits =
      std::find_if(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c); });
  const std::string letter(word.begin(), digits), number(digits, word.end());
  const bool counted =
      !number.empty() && number.size() < 5 &&
      std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); });
  if (!counted)
    throw Refusal(fmt::format("'{}' is no day; a day is a track and a number, as A12", word));
  if (letter.empty()) {
    std::vector<std::string> ids;
    for (const Track& t : course)
      if (t.find(std::stoi(number))) ids.push_back(t.id + number);
    if (ids.empty()) throw Refusal(fmt::format("no track has a day {}", number));
    throw Refusal(fmt::format("day {} of which track? {}", number, join(ids)));
  }
  const Track& track = find_track(course, letter);
  if (const Day* day = track.find(std::stoi(number))) return *day;
  throw Refusal(fmt::format("no day {}{}: track {} has days {}", track.id, number, track.id,
                            track.numbers()));
}

}  // namespace warpath::cli
