#pragma once

// Text as JSON writes it.

#include <cstdio>
#include <string>
#include <string_view>

namespace simt {

inline std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (code < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace simt
