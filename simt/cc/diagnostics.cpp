#include "diagnostics.h"

#include <cctype>
#include <regex>
#include <set>
#include <sstream>

#include "missing_libraries.h"

namespace simt::cc {
namespace {

constexpr std::size_t longest_line = 4000;

// "file:line[:column]" at the start of `text`; `rest` is what follows the next colon (or comma).
std::optional<Place> take_place(const std::string& text, std::string& rest) {
  static const std::regex form("^([^:]+):([0-9]{1,9})(?::([0-9]{1,9}))?[:,](.*)$");
  std::smatch m;
  if (!std::regex_match(text, m, form)) return {};
  rest = m[4];
  return Place{m[1], static_cast<unsigned>(std::stoul(m[2])),
               m[3].matched ? static_cast<unsigned>(std::stoul(m[3])) : 0};
}

bool begins(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

bool names_simt(const std::string& text) {
  return text.find("simt::") != std::string::npos || text.find("simt_") != std::string::npos ||
         text.find("<lambda(auto") != std::string::npos;
}

// What a message says, without the translator's names.
std::string plain(std::string text) {
  static const std::regex error("^#error \"(.*)\"$");
  static const std::regex launch(
      "^no match for call to .\\S*\\(simt::TypedLauncher<.*<lambda\\(auto[^>]*\\)>(?:, )?(.*)>\\) "
      "\\((.*)\\)[^)]*$");
  static const std::regex known_type("\\S*simt_type_\\w+\\S* \\{aka (.*?)\\}");
  static const std::regex name("simt_(?:type|var|align)_");
  std::smatch m;
  if (std::regex_match(text, m, error)) return m[1];
  const std::size_t missing = text.find(": No such file");
  if (missing != text.npos) {
    const std::string why = missing_library(text.substr(0, missing));
    if (!why.empty()) return text + "; " + why;
  }
  if (std::regex_match(text, m, launch)) {
    return "the kernel takes (" + m[1].str() + "), but is launched with (" + m[2].str() + ")";
  }
  text = std::regex_replace(text, known_type, "$1");
  return std::regex_replace(text, name, "");
}

}  // namespace

class Rewriter {
 public:
  explicit Rewriter(const Diagnostics& d) : d_(d) {}

  std::string run(const std::string& messages) {
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
      // std::regex takes stack for every character, and nobody reads that far.
      if (line.size() > longest_line) line.replace(longest_line, line.npos, "...");
      one(line);
    }
    return out_.str();
  }

 private:
  bool is_ours(const std::string& file) const { return begins(file, d_.include_.c_str()); }

  void one(const std::string& line) {
    std::string rest;
    const std::size_t from = line.find("from ");
    const bool included = from != line.npos && (begins(line, "In file included from ") ||
                                                (from > 0 && line.find_first_not_of(' ') == from));
    if (included) {
      const auto place = take_place(line.substr(from + 5), rest);
      if (place && !is_ours(place->file) && place->file[0] != '<') includer_ = place;
      return;
    }
    const auto place = take_place(line, rest);
    if (!place) {
      if (line.find(": In ") != std::string::npos || line.find(": At ") != std::string::npos) {
        context_.push_back(line);
      } else if (!skipping_) {
        out_ << line << "\n";
      }
      return;
    }
    static const std::regex form("^ (fatal error|error|warning|note): (.*)$");
    std::smatch m;
    if (std::regex_match(rest, m, form)) return message(*place, m[1], m[2]);
    // "required from", which leads from a template to where it was used
    if (!is_ours(place->file)) {
      user_ = d_.places_.of(*place);
      if (!names_simt(rest)) context_.push_back(told(*user_) + rest);
    }
  }

  static std::string told(const Place& p) {
    return p.file + ":" + std::to_string(p.line) + ":" +
           (p.column != 0 ? std::to_string(p.column) + ":" : "");
  }

  void message(const Place& compiled, const std::string& kind, const std::string& text) {
    const bool ours = is_ours(compiled.file);
    if (kind == "note") {
      if (!ours && !skipping_ && !names_simt(text)) {
        out_ << d_.message(d_.places_.of(compiled), kind, plain(text));
      }
      return forget();
    }
    std::optional<Place> place = d_.places_.of(compiled);
    if (ours) place = user_ ? user_ : includer_;
    // A part of the message before, in our own headers.
    if (!place && any_) return forget();
    if (!place) place = compiled;
    const std::string what = plain(text);
    skipping_ = !told_.insert(place->file + ":" + std::to_string(place->line) + ":" + what).second;
    if (!skipping_) {
      for (const std::string& line : context_) {
        if (!names_simt(line) && !(ours && !is_place(line))) out_ << line << "\n";
      }
      out_ << d_.message(*place, kind, what);
    }
    any_ = true;
    forget();
  }

  static bool is_place(const std::string& line) {
    std::string rest;
    return take_place(line, rest).has_value();
  }

  void forget() {
    context_.clear();
    user_.reset();
    includer_.reset();
  }

  const Diagnostics& d_;
  std::ostringstream out_;
  std::vector<std::string> context_;  // what leads to the next message
  std::optional<Place> user_;         // the last place of the user's among it
  std::optional<Place> includer_;     // the last #include of the user's
  std::set<std::string> told_;
  bool skipping_ = false;  // the last message was told before
  bool any_ = false;
};

std::string Diagnostics::rewrite(const std::string& messages) const {
  return Rewriter(*this).run(messages);
}

std::string Diagnostics::message(const Place& place, const std::string& kind,
                                 const std::string& text) const {
  std::string out = place.file + ":" + std::to_string(place.line) + ":";
  if (place.column != 0) out += std::to_string(place.column) + ":";
  out += " " + kind + ": " + text + "\n";
  const std::string line = places_.line_of(place.file, place.line);
  // Of a file in one line, each of many errors would show all of it.
  if (line.empty() || line.size() > longest_line || place.column == 0) return out;
  const std::string number = std::to_string(place.line);
  out += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + " | " + line + "\n";
  out += std::string(std::max<std::size_t>(5, number.size()), ' ') + " | ";
  for (std::size_t i = 0; i + 1 < place.column && i < line.size(); ++i) {
    const bool inside_character = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
    if (!inside_character) out += line[i] == '\t' ? '\t' : ' ';
  }
  return out + "^\n";
}

std::vector<std::string> diagnostic_options(const std::string& compiler) {
  if (compiler.find("clang") != std::string::npos) {
    return {"-fno-caret-diagnostics", "-fno-color-diagnostics"};
  }
  return {"-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
          "-ftabstop=1"};  // a tab is one column, as it is one byte
}

}  // namespace simt::cc
