// Parses the text of inline PTX.

#include <algorithm>
#include <cctype>

#include "ptx/ptx.h"

namespace simt::cc {
namespace {

std::string trim(const std::string& text) {
  std::size_t first = 0, end = text.size();
  while (first < end && std::isspace(static_cast<unsigned char>(text[first])) != 0) ++first;
  while (end > first && std::isspace(static_cast<unsigned char>(text[end - 1])) != 0) --end;
  return text.substr(first, end - first);
}

// Splits at the commas that are in no brackets.
std::vector<std::string> comma_parts(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (const char c : text) {
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(trim(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (part = trim(part); !part.empty() || !parts.empty()) parts.push_back(part);
  return parts;
}

PtxOperand parse_operand(const std::string& text) {
  PtxOperand operand;
  if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
    operand.is_list = true;
    operand.parts = comma_parts(text.substr(1, text.size() - 2));
  } else if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    std::vector<std::string> inside_parts = comma_parts(text.substr(1, text.size() - 2));
    if (inside_parts.size() == 2 && inside_parts[1].size() > 2 && inside_parts[1][0] == '{') {
      operand.coordinates = comma_parts(inside_parts[1].substr(1, inside_parts[1].size() - 2));
      inside_parts.pop_back();
    }
    const std::string inside = inside_parts.size() == 1 ? inside_parts[0] : "";
    const std::size_t plus = inside.find('+');
    operand.is_address = true;
    operand.parts.push_back(trim(inside.substr(0, plus)));
    if (plus != std::string::npos) operand.offset = trim(inside.substr(plus + 1));
  } else {
    const std::size_t bar = text.find('|');
    operand.parts.push_back(trim(text.substr(0, bar)));
    if (bar != std::string::npos) operand.second = trim(text.substr(bar + 1));
  }
  return operand;
}

PtxStatement parse_statement(std::string text) {
  PtxStatement s;
  s.text = text + ";";
  if (text[0] == '@') {
    std::size_t end = text.find(' ');
    if (end == std::string::npos) end = text.size();
    s.negated = text.size() > 1 && text[1] == '!';
    s.guard = text.substr(s.negated ? 2 : 1, end - (s.negated ? 2 : 1));
    text = trim(text.substr(end));
  }
  std::size_t end = text.find(' ');
  if (text.rfind(".reg", 0) == 0 && end != std::string::npos) {
    s.kind = PtxStatement::Kind::declaration;
    text = trim(text.substr(end));
    end = text.find(' ');
  }
  s.opcode = text.substr(0, end);
  if (end == std::string::npos) return s;
  for (const std::string& operand : comma_parts(text.substr(end))) {
    s.operands.push_back(parse_operand(operand));
  }
  return s;
}

// One word, without the dots of an opcode; "%=" is how people make it unique.
bool is_label(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '$' || c == '%' || c == '=';
  });
}

// White space becomes one blank, comments go.
std::string clean(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n') ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      const std::size_t end = text.find("*/", i + 2);
      i = end == std::string::npos ? text.size() : end + 1;
    }
    const char c = i < text.size() ? text[i] : ' ';
    const bool space = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::vector<PtxStatement> parse_ptx(const std::string& text) {
  std::vector<PtxStatement> all;
  std::string part;
  const std::string cleaned = clean(text);
  for (std::size_t i = 0; i < cleaned.size(); ++i) {
    const char c = cleaned[i];
    // A brace that begins a statement opens a scope; others hold a list of operands.
    const bool at_start = trim(part).empty();
    if (c == ';') {
      if (!at_start) all.push_back(parse_statement(trim(part)));
      part.clear();
    } else if (at_start && (c == '{' || c == '}')) {
      PtxStatement scope;
      scope.kind = c == '{' ? PtxStatement::Kind::open : PtxStatement::Kind::close;
      all.push_back(scope);
      part.clear();
    } else if (c == ':' && is_label(trim(part)) &&
               (i + 1 == cleaned.size() || cleaned[i + 1] != ':')) {
      PtxStatement label;
      label.kind = PtxStatement::Kind::label;
      label.opcode = trim(part);
      label.text = label.opcode + ":";
      all.push_back(label);
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trim(part).empty()) all.push_back(parse_statement(trim(part)));
  return all;
}

}  // namespace simt::cc
