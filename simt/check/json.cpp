#include "json.h"

#include <simt/json_text.h>

#include <cstdio>

#include "source_location.h"

namespace simt::check {
namespace {

std::string field(const char* name, const std::string& text) {
  return std::string("\"") + name + "\": " + json_quoted(text);
}

std::string field(const char* name, const uint3& v) {
  return std::string("\"") + name + "\": [" + std::to_string(v.x) + ", " + std::to_string(v.y) +
         ", " + std::to_string(v.z) + "]";
}

std::string number(const char* name, unsigned long long value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
}

}  // namespace

std::string location_fields(const void* pc) {
  const SourceLocation& location = location_of(pc);
  if (!location.known()) return "";
  return ", " + field("file", location.file) + ", " + number("line", location.line) + ", " +
         field("text", source_text(location));
}

namespace {

std::string allocation(const Finding& f) {
  std::string text =
      ", \"allocation\": {" + number("bytes", f.bytes) + location_fields(f.allocated_at);
  if (const std::string name = block_name(f); !name.empty()) {
    text += ", " + field("name", name);
  }
  if (f.element != 0) {
    text += ", \"offset\": " + std::to_string(f.offset) + ", " + number("element_bytes", f.element);
  }
  if (f.freed_at != nullptr) text += ", \"freed\": {" + location_fields(f.freed_at).substr(2) + "}";
  return text + "}";
}

std::string finding_text(const Entry& entry) {
  const Finding& f = entry.finding;
  std::string text = "    {" + field("kind", f.kind.name()) + ", " +
                     field("check", std::string(f.kind.check())) + ", " + field("message", f.what) +
                     location_fields(f.pc) + ", " + number("count", entry.count) +
                     ", \"warning\": " + (f.warning ? "true" : "false");
  if (!f.kernel.empty()) text += ", " + field("kernel", f.kernel);
  if (!f.who.empty()) text += ", " + field("block", f.block) + ", " + field("thread", f.thread);
  if (f.other != nullptr) {
    const std::string place = location_fields(f.other);
    text += ", \"other\": {" + field("block", f.other_block) + ", " +
            field("thread", f.other_thread) + place + "}";
  }
  if (f.allocated_at != nullptr || !f.name.empty()) text += allocation(f);
  return text + ", " + field("report", report_text(entry)) + "}";
}

}  // namespace

std::string to_json(const std::vector<Entry>& entries) {
  std::string text = "{\n  \"version\": 1,\n  \"findings\": [";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + finding_text(entries[i]);
  }
  return text + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

void write_json(const std::string& file, const std::vector<Entry>& entries) {
  const std::string text = to_json(entries);
  std::FILE* out = std::fopen(file.c_str(), "w");
  if (out == nullptr || std::fputs(text.c_str(), out) < 0 || std::fclose(out) != 0) {
    std::fprintf(stderr, "simt check: cannot write '%s'\n", file.c_str());
  }
}

}  // namespace simt::check
