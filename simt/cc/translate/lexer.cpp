#include "translate/lexer.h"

#include <array>
#include <cstdlib>
#include <unordered_map>

namespace simt::cc {
namespace {

const std::unordered_map<std::string_view, Word>& words() {
  static const std::unordered_map<std::string_view, Word> table = {
      {"__shared__", Word::shared_},
      {"__noinline__", Word::noinline_},
      {"__simt_global__", Word::global_},
      {"__simt_device__", Word::device_},
      {"__simt_variable__", Word::variable_},
      {"__simt_host__", Word::host_},
      {"__simt_constant__", Word::mark_},
      {"__simt_managed__", Word::mark_},
      {"__simt_grid_constant__", Word::mark_},
      {"__simt_cluster_dims__", Word::cluster_dims_},
      {"__simt_launch_bounds__", Word::cluster_dims_},
      {"asm", Word::asm_},
      {"__asm__", Word::asm_},
      {"__asm", Word::asm_},
      {"printf", Word::printf_},
      {"__assert_fail", Word::assert_fail_},
      {"clock", Word::clock_},
      {"memcpy", Word::memory_},
      {"memmove", Word::memory_},
      {"memset", Word::memory_},
      {"template", Word::template_},
      {"typename", Word::typename_},
      {"namespace", Word::namespace_},
      {"extern", Word::extern_},
      {"static", Word::static_},
      {"inline", Word::inline_},
      {"__inline__", Word::inline_},
      {"__inline", Word::inline_},
      {"constexpr", Word::constexpr_},
      {"consteval", Word::constexpr_},
      {"operator", Word::operator_},
      {"__attribute__", Word::attribute_},
      {"__attribute", Word::attribute_},
      {"alignas", Word::alignas_},
      {"_Alignas", Word::alignas_},
      {"decltype", Word::decltype_},
      {"__typeof__", Word::decltype_},
      {"typeof", Word::decltype_},
      {"noexcept", Word::noexcept_},
      {"const", Word::const_},
      {"void", Word::void_},
      {"struct", Word::struct_},
      {"union", Word::struct_},
      {"class", Word::struct_},
      {"enum", Word::struct_},
      {"reinterpret_cast", Word::reinterpret_cast_},
      {"return", Word::return_},
      {"else", Word::return_},
      {"do", Word::return_},
      {"throw", Word::return_},
      {"co_return", Word::return_},
      {"requires", Word::requires_},
      {"explicit", Word::explicit_},
      {"volatile", Word::volatile_},
      {"__volatile__", Word::volatile_},
      {"__volatile", Word::volatile_},
      {"friend", Word::friend_},
      {"while", Word::while_},
  };
  return table;
}

// Most names of a translation unit are none of the words; first letter and length say so quickly.
struct Filter {
  std::array<std::uint32_t, 256> lengths{};
  Filter() {
    for (const auto& [text, word] : words()) {
      lengths[static_cast<unsigned char>(text[0])] |= 1u << text.size();
    }
  }
};

Word word_of(std::string_view name) {
  static const Filter filter;
  if (name.size() > 31 ||
      (filter.lengths[static_cast<unsigned char>(name[0])] >> name.size() & 1u) == 0) {
    return Word::none;
  }
  const auto found = words().find(name);
  return found != words().end() ? found->second : Word::none;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { tokens_.reserve(text.size() / 4); }

  std::vector<Token> run() {
    bool line_start = true;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        line_start = true;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
        ++at_;
      } else if (c == '#' && line_start) {
        directive();
      } else {
        line_start = false;
        token(c);
      }
    }
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void add(std::size_t begin, Kind kind, Word word = Word::none, char op = 0) {
    tokens_.push_back(
        {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_), kind, word, op});
  }

  void directive() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (text_[at_] == '\\' && peek(1) == '\n') ++at_;
      ++at_;
    }
    add(begin, Kind::directive);
  }

  void token(char c) {
    if (is_name_start(c)) return name();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"') return quoted('"', at_, Kind::string);
    if (c == '\'') return quoted('\'', at_, Kind::character);
    if (c == '/' && peek(1) == '/') return line_comment();
    if (c == '/' && peek(1) == '*') return block_comment();
    punctuation(c);
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_part(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const char next = peek(0);
    if ((next == '"' || next == '\'') && word.size() <= 3) {
      const bool raw = next == '"' && word.back() == 'R';
      const std::string_view prefix = raw ? word.substr(0, word.size() - 1) : word;
      const bool known =
          prefix.empty() || prefix == "u8" || prefix == "u" || prefix == "U" || prefix == "L";
      if (known && raw) return raw_string(begin);
      if (known) return quoted(next, begin, next == '"' ? Kind::string : Kind::character);
    }
    add(begin, Kind::name, word_of(word));
  }

  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool sign = (c == '+' || c == '-') &&
                        std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos;
      const bool separator = c == '\'' && is_name_part(peek(1));
      if (!is_name_part(c) && c != '.' && !sign && !separator) break;
      ++at_;
    }
    add(begin, Kind::number);
  }

  void quoted(char quote, std::size_t begin, Kind kind) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      if (text_[at_] == '\\') ++at_;
      ++at_;
    }
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    if (at_ > text_.size()) at_ = text_.size();
    add(begin, kind);
  }

  void raw_string(std::size_t begin) {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) return quoted('"', begin, Kind::string);
    const std::string close = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    at_ = end == std::string_view::npos ? text_.size() : end + close.size();
    add(begin, Kind::string);
  }

  void line_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void block_comment() {
    const std::size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  }

  // '<' and '>' stay single: whether `>>` closes two lists or shifts is for the translator to say.
  void punctuation(char c) {
    const std::size_t begin = at_;
    const char d = peek(1);
    Word word = Word::none;
    if (c == ':' && d == ':') {
      word = Word::scope_;
    } else if (c == '-' && d == '>') {
      word = Word::arrow_;
    } else if (d == '=' && std::string_view("<>=!+-*/%&|^").find(c) != std::string_view::npos) {
      word = Word::other_;
    } else if ((c == '&' && d == '&') || (c == '|' && d == '|') || (c == '+' && d == '+') ||
               (c == '-' && d == '-')) {
      word = Word::other_;
    }
    at_ += word == Word::none ? 1 : 2;
    add(begin, Kind::punctuation, word, word == Word::none ? c : '\0');
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text) {
  return Lexer(text).run();
}

bool follow_marker(std::string_view line, Position& position) {
  const std::size_t quote = line.find('"');
  const bool marker = line.size() > 2 && line[0] == '#' && line[1] == ' ' && is_digit(line[2]);
  if (!marker || quote == std::string_view::npos) return false;
  position.line = static_cast<unsigned>(std::strtoul(line.data() + 2, nullptr, 10));
  position.file = line.substr(quote + 1, line.find('"', quote + 1) - quote - 1);
  return true;
}

Position position_of(std::string_view text, std::size_t offset) {
  Position position{"", 1};
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (offset <= end) break;
    if (!follow_marker(text.substr(at, end - at), position)) ++position.line;
    at = end + 1;
  }
  return position;
}

}  // namespace simt::cc
