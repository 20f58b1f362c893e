#include "python/src/ladder.h"

#include <dlfcn.h>

#include <type_traits>

#include "core/host/error.h"
#include "harness/library.h"

namespace fs = std::filesystem;

namespace warpath::python {
namespace {

Runtime open_runtime(const fs::path& path) {
  Runtime r;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) throw Error(dlerror());
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!find(r.arch, "warpath_arch") || !find(r.devices, "warpath_devices") ||
      !find(r.recover, "warpath_recover") || !find(r.zero, "warpath_zero") ||
      !find(r.lend, "warpath_lend") || !find(r.take_back, "warpath_take_back"))
    throw Error(path.string() + ": not a runtime of this version");
  find(r.pause_checks, "simt_pause_checks");
  find(r.resume_checks, "simt_resume_checks");
  find(r.take_reports, "simt_take_reports");
  find(r.begin_interruptible, "simt_begin_interruptible");
  find(r.end_interruptible, "simt_end_interruptible");
  void (*keep_reports)() = nullptr;
  void (*choose_timeout)(double) = nullptr;
  if (find(keep_reports, "simt_keep_reports")) keep_reports();
  if (find(choose_timeout, "simt_choose_timeout")) choose_timeout(default_timeout);
  return r;
}

}  // namespace

std::string without_place(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));  // reports may follow
  const auto from = line.find(" ["), at = line.rfind(" at ");
  if (from == line.npos || at == line.npos || at < from || line.back() != ']') return text;
  const auto colon = line.rfind(':');
  if (colon < at || line.find_first_not_of("0123456789", colon + 1) != line.size() - 1) return text;
  return line.substr(0, from) + text.substr(line.size());
}

std::string Runtime::reports() const {
  std::string text = take_reports ? take_reports() : "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.find(" ran longer than ") != text.npos)
    text +=
        "\n  warpath.set_timeout(SECONDS), or SIMT_TIMEOUT=SECONDS, sets another limit; 0 is none";
  return text.empty() ? text : "\n" + text;
}

std::string Runtime::trouble() const {
  const char* text = nullptr;
  const char* const name = recover(&text);
  const std::string told = reports();
  return name ? std::string(name) + ": " + text + told : "";
}

LazyLadder::LazyLadder(const Installation& at, const std::string& folder, std::string op,
                       Backend backend)
    : library_(at.lib / (folder + "_" + backend_names[backend] + ".so")),
      runtime_(at.package / (std::string("runtime_") + backend_names[backend] + ".so")),
      op_(std::move(op)),
      backend_(backend) {}

bool LazyLadder::exists() const {
  std::error_code ignored;
  return fs::exists(library_, ignored) && fs::exists(runtime_, ignored);
}

void LazyLadder::open_now() {
  there_ = exists();
  if (!there_) return;
  try {
    ladder_.runtime = open_runtime(runtime_);
    const harness::OpenLibrary opened = harness::open_library(library_);
    if (!opened.ok()) throw Error(opened.error);
    for (const Rung& r : opened.registry->rungs)
      if (r.op == op_ && !r.peer) ladder_.rungs.push_back(&r);
  } catch (const std::exception& e) {
    error_ = "warpath::" + op_ + ": its kernels for the " + (backend_ == cuda ? "GPU" : "CPU") +
             " cannot be opened: " + e.what();
  }
}

const Ladder* LazyLadder::open() {
  std::call_once(once_, [&] { open_now(); });
  if (!error_.empty()) throw Error(error_);
  return there_ ? &ladder_ : nullptr;
}

}  // namespace warpath::python
