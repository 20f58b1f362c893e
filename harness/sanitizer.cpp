#include "harness/sanitizer.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <vector>

#include "core/host/error.h"
#include "harness/backend.h"
#include "simt/runtime/tools/finding_kind.h"

using nlohmann::json;

namespace warpath::harness {

Sanitizer::Sanitizer(const std::filesystem::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    throw Error(why ? why : "cannot open " + library.string());
  }
  const auto find = [&](const char* symbol, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, symbol));
    if (!function) throw Error(library.string() + ": it has no " + symbol);
  };
  find(check_symbols.take_findings, take_);
  find(check_symbols.name, name_);
  find(check_symbols.forget, forget_);
  find(check_symbols.last_writer, writer_);
}

std::string Sanitizer::last_writer(const void* data) const {
  const json told = json::parse(writer_(data), nullptr, false);
  if (!told.is_object()) return "";
  if (!told.value("written", false)) return "no thread wrote it";
  const auto index = [&](const char* name) {
    return fmt::format("({})", fmt::join(told.at(name).get<std::vector<int>>(), ", "));
  };
  std::string text =
      fmt::format("written last by thread {} of block {}", index("thread"), index("block"));
  if (told.contains("file"))
    text += fmt::format(", {}:{}",
                        std::filesystem::path(told["file"].get<std::string>()).filename().string(),
                        told.value("line", 0));
  return text;
}

json Sanitizer::take_findings() const {
  json document = json::parse(take_(), nullptr, false);
  if (document.is_discarded()) throw Error("the checks' findings cannot be read");
  // A warning does not reject a kernel.
  json found = json::array();
  for (json& f : document.at("findings"))
    if (!f.value("warning", false)) found.push_back(std::move(f));
  return found;
}

std::string check_of(const json& finding) {
  const simt::KindEntry* const entry = simt::kind_entry(finding.value("kind", ""));
  return entry ? std::string(entry->check) : "other";
}

std::string describe_finding(const json& finding) {
  const std::string message = finding.value("message", "");
  std::string text = finding.value("kind", "finding");
  if (finding.contains("file"))
    text += fmt::format(
        " at {}:{}", std::filesystem::path(finding["file"].get<std::string>()).filename().string(),
        finding.value("line", 0));
  text += ": " + message.substr(0, message.find('\n'));
  if (finding.contains("allocation") && finding["allocation"].contains("name"))
    text += fmt::format(" ({})", finding["allocation"]["name"].get<std::string>());
  if (finding.contains("text") && finding["text"] != "")
    text += fmt::format("  [{}]", finding["text"].get<std::string>());
  return text;
}

std::string describe_findings(const json& findings) {
  std::string text = describe_finding(findings.front());
  if (findings.size() > 1) text += fmt::format(" (and {} more)", findings.size() - 1);
  return text;
}

}  // namespace warpath::harness
