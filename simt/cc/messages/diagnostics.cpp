#include "messages/diagnostics.h"

#include <cctype>
#include <regex>
#include <set>
#include <sstream>
#include <utility>

#include "messages/missing_libraries.h"

namespace simt::cc {
namespace {

constexpr std::size_t longest_line = 4000;

// "file:line[:column]" at the start of `text`; `rest` is what follows the next colon (or comma).
std::optional<SourceLocation> take_location(const std::string& text, std::string& rest) {
  static const std::regex form("^([^:]+):([0-9]{1,9})(?::([0-9]{1,9}))?[:,](.*)$");
  std::smatch m;
  if (!std::regex_match(text, m, form)) return {};
  rest = m[4];
  return SourceLocation{m[1], static_cast<unsigned>(std::stoul(m[2])),
                        m[3].matched ? static_cast<unsigned>(std::stoul(m[3])) : 0};
}

bool begins(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

bool names_simt(const std::string& text) {
  return text.find("simt::") != std::string::npos || text.find("simt_") != std::string::npos ||
         text.find("<lambda(auto") != std::string::npos;
}

// clang's words for arguments that a kernel does not take. It names the start of the launch; the
// lambda stands on the line where the arguments begin.
void take_launch_in_clang(SourceLocation& location, std::string& text) {
  static const std::regex form(
      "^no matching function for call to object of type .*TypedLauncher<(?:true|false), "
      "\\(lambda at [^)]*\\), \\(lambda at ([^)]*)\\)(?:, )?(.*)>.$");
  std::smatch m;
  if (!std::regex_match(text, m, form)) return;
  std::string rest;
  const auto lambda = take_location(m[1].str() + ":", rest);
  if (lambda && lambda->line != location.line) location = {lambda->file, lambda->line, 0};
  text = "the kernel takes (" + m[2].str() + "), but is launched with others";
}

// CUDA's words that people misspell in a way which the compiler does not see: an underscore or a
// capital letter more or less.
std::string cuda_word(const std::string& wrong) {
  const auto letters = [](const std::string& word) {
    std::string only;
    for (const char c : word)
      if (c != '_') only += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return only;
  };
  for (const char* word :
       {"__global__",      "__device__",     "__host__",         "__shared__",
        "__constant__",    "__managed__",    "__restrict__",     "__launch_bounds__",
        "__forceinline__", "__syncthreads",  "__syncwarp",       "__threadfence",
        "__shfl_sync",     "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
        "__ballot_sync",   "threadIdx",      "blockIdx",         "blockDim",
        "gridDim",         "warpSize"})
    if (letters(word) == letters(wrong)) return word;
  return "";
}

// The same for a name that a message says is not known.
std::string with_cuda_word(const std::string& text) {
  static const std::regex unknown(
      "^(?:unknown type name |use of undeclared identifier "
      ")?(?:\xe2\x80\x98|')(\\w+)(?:\xe2\x80\x99|')"
      "( does not name a type| was not declared in this scope)?(?:; did you mean .*)?$");
  std::smatch m;
  if (!std::regex_match(text, m, unknown)) return text;
  const std::string word = cuda_word(m[1]);
  if (word.empty()) return text;
  const std::size_t guess = text.find("; did you mean ");
  return text.substr(0, guess) + "; did you mean '" + word + "'?";
}

// What a message says, without the translator's names.
std::string plain(std::string text) {
  static const std::regex error("^#error \"(.*)\"$");
  static const std::regex launch(
      "^no match for call to .\\S*\\(simt::TypedLauncher<.*<lambda\\(auto[^>]*\\)>(?:, )?(.*)>\\) "
      "\\((.*)\\)[^)]*$");
  static const std::regex known_type("\\S*simt_type_\\w+\\S* \\{aka (.*?)\\}");
  static const std::regex name("simt_(?:type|var|align)_");
  static const std::regex missing_in_clang("^'(.*)' file not found$");
  std::smatch m;
  if (std::regex_match(text, m, error)) return m[1];
  if (std::regex_match(text, m, missing_in_clang))
    text = m[1].str() + ": No such file or directory";
  const std::size_t missing = text.find(": No such file");
  if (missing != text.npos) {
    const std::string why = missing_library(text.substr(0, missing));
    if (!why.empty()) return text + "; " + why;
  }
  if (std::regex_match(text, m, launch)) {
    return "the kernel takes (" + m[1].str() + "), but is launched with (" + m[2].str() + ")";
  }
  if (text.rfind("too many arguments to function ", 0) == 0 &&
      text.find("simt::config(") != text.npos) {
    return "a launch has at most four values: <<<grid, block, bytes of shared memory, stream>>>";
  }
  text = with_cuda_word(std::regex_replace(text, known_type, "$1"));
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
    tell_held();
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
      const auto location = take_location(line.substr(from + 5), rest);
      if (location && !is_ours(location->file) && location->file[0] != '<') includer_ = location;
      return;
    }
    const auto location = take_location(line, rest);
    if (!location) {
      if (line.find(": In ") != std::string::npos || line.find(": At ") != std::string::npos) {
        context_.push_back(line);
      } else if (!skipping_) {
        out_ << line << "\n";
      }
      return;
    }
    static const std::regex form("^ (fatal error|error|warning|note): (.*)$");
    std::smatch m;
    if (std::regex_match(rest, m, form)) return message(*location, m[1], m[2]);
    // "required from", which leads from a template to where it was used
    if (!is_ours(location->file)) {
      user_ = d_.map_.of(*location);
      if (!names_simt(rest)) context_.push_back(told(*user_) + rest);
    }
  }

  static std::string told(const SourceLocation& p) {
    return p.file + ":" + std::to_string(p.line) + ":" +
           (p.column != 0 ? std::to_string(p.column) + ":" : "");
  }

  void message(SourceLocation compiled, const std::string& kind, std::string text) {
    take_launch_in_clang(compiled, text);
    const bool ours = is_ours(compiled.file);
    if (kind == "note") {
      if (held_ && !ours && text.find("requested here") != text.npos) {
        held_->location = d_.map_.of(compiled);
        tell_held();
      } else if (!ours && !held_ && !skipping_ && !names_simt(text)) {
        out_ << d_.message(d_.map_.of(compiled), kind, plain(text));
      }
      return forget();
    }
    tell_held();
    std::optional<SourceLocation> location = d_.map_.of(compiled);
    if (ours) location = user_ ? user_ : includer_;
    if (!location) {
      held_ = Held{compiled, kind, plain(text), any_};
      return forget();
    }
    tell(*location, kind, plain(text), ours);
    forget();
  }

  void tell(const SourceLocation& location, const std::string& kind, const std::string& what,
            bool ours) {
    skipping_ =
        !told_.insert(location.file + ":" + std::to_string(location.line) + ":" + what).second;
    if (!skipping_) {
      for (const std::string& line : context_) {
        if (!names_simt(line) && !(ours && !is_place(line))) out_ << line << "\n";
      }
      out_ << d_.message(location, kind, what);
    }
    any_ = true;
  }

  // A message in our own headers whose place in the user's files is not known. clang's notes name it
  // after the message. If none does, it is a part of the message before, or the only one there is.
  void tell_held() {
    if (!held_) return;
    const Held held = *std::exchange(held_, {});
    if (is_ours(held.location.file) && held.any_before) return;
    tell(held.location, held.kind, held.what, true);
  }

  static bool is_place(const std::string& line) {
    std::string rest;
    return take_location(line, rest).has_value();
  }

  void forget() {
    context_.clear();
    user_.reset();
    includer_.reset();
  }

  const Diagnostics& d_;
  std::ostringstream out_;
  std::vector<std::string> context_;        // what leads to the next message
  std::optional<SourceLocation> user_;      // the last location of the user's among it
  std::optional<SourceLocation> includer_;  // the last #include of the user's
  struct Held {
    SourceLocation location;
    std::string kind, what;
    bool any_before;  // another message came before it
  };
  std::optional<Held> held_;
  std::set<std::string> told_;
  bool skipping_ = false;  // the last message was told before
  bool any_ = false;
};

std::string Diagnostics::rewrite(const std::string& messages) const {
  return Rewriter(*this).run(messages);
}

std::string Diagnostics::message(const SourceLocation& location, const std::string& kind,
                                 const std::string& text) const {
  std::string out = location.file + ":" + std::to_string(location.line) + ":";
  if (location.column != 0) out += std::to_string(location.column) + ":";
  out += " " + kind + ": " + text + "\n";
  const std::string line = map_.line_of(location.file, location.line);
  // In a file of one line, each of many errors would show all of it.
  if (line.empty() || line.size() > longest_line || location.column == 0) return out;
  const std::string number = std::to_string(location.line);
  out += std::string(number.size() < 5 ? 5 - number.size() : 0, ' ') + number + " | " + line + "\n";
  out += std::string(std::max<std::size_t>(5, number.size()), ' ') + " | ";
  for (std::size_t i = 0; i + 1 < location.column && i < line.size(); ++i) {
    const bool inside_character = (static_cast<unsigned char>(line[i]) & 0xc0) == 0x80;
    if (!inside_character) out += line[i] == '\t' ? '\t' : ' ';
  }
  return out + "^\n";
}

std::vector<std::string> diagnostic_options(bool clang) {
  if (clang) {
    return {"-fno-caret-diagnostics", "-fno-color-diagnostics"};
  }
  return {"-fno-diagnostics-show-caret", "-fdiagnostics-color=never",
          "-ftabstop=1"};  // a tab is one column, as it is one byte
}

}  // namespace simt::cc
