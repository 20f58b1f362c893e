#include "driver/startup.h"

namespace simt::cc {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

// Calls `function`, declared with `parameters`, from a constructor.
std::string call(const std::string& function, const std::string& parameters,
                 const std::string& arguments) {
  return "\nextern \"C\" void " + function + "(" + parameters + ");\n" +
         "__attribute__((constructor)) static void " + function +
         "_here([[maybe_unused]] int count, [[maybe_unused]] char** words) { " + function + "(" +
         arguments + "); }\n";
}

}  // namespace

std::string startup_code(const Options& o) {
  std::string code;
  if (!o.checks.empty() || !o.json.empty()) {
    code += call("simt_choose_checks", "const char*, const char*",
                 "\"" + escaped(o.checks) + "\", \"" + escaped(o.json) + "\"");
  }
  if (!o.timeout.empty()) code += call("simt_choose_timeout", "double", o.timeout);
  if (o.check && o.open_debugger) {
    code += call("simt_open_debugger", "int, char**", "count, words");
  }
  return code;
}

}  // namespace simt::cc
