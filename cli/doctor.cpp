// warpath doctor: what this machine has, and what to install.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/command.h"
#include "cli/machine.h"
#include "cli/report.h"
#include "cli/terminal.h"

using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* doctor_examples = R"(
Examples:
  ./warpath doctor
  ./warpath doctor --json
Exit status: 0 a backend works, 2 none does.)";

std::string device_text(const harness::Probe& p) {
  if (!p.ok()) return p.error;
  const auto& i = p.info;
  std::string text = fmt::format("{}, sm_{}, {} SMs, {} MiB L2, {:.0f} GiB", i.name, i.arch, i.sms,
                                 i.l2_bytes >> 20, static_cast<double>(i.memory_bytes) / (1 << 30));
  return text + fmt::format(", CUDA {}", harness::cuda_version(i.runtime));
}

ordered_json parts_json(const std::vector<Part>& parts) {
  ordered_json j = ordered_json::array();
  for (const Part& p : parts) j.push_back({{"name", p.name}, {"found", p.found}, {"what", p.what}});
  return j;
}

Cell mark(bool found, bool needed = false) {
  return found    ? Cell("yes", Tone::good)
         : needed ? Cell("MISSING", Tone::bad)
                  : Cell("no", Tone::dim);
}

int doctor(const Options& o) {
  const Machine m = look_around(harness::find_places());
  const std::string driver = harness::driver_version();
  const std::string install = m.install_command();
  if (o.json) {
    ordered_json j;
    j["cpu"] = {{"name", m.cpu_name}, {"cores", m.cores}};
    j["backends"]["simt"] = {{"works", m.cpu.ok()}, {"what", device_text(m.cpu)}};
    j["backends"]["cuda"] = {
        {"works", m.gpu.ok()}, {"what", device_text(m.gpu)}, {"driver", driver}};
    j["tools"] = parts_json(m.tools);
    j["tried_compilers"] = tried_compilers;
    j["libraries"] = parts_json(m.libraries);
    j["install"] = install;
    print_json(j);
    return m.usable() ? all_passed : cannot;
  }

  fmt::print("{}\n", paint(Tone::strong, "backends"));
  Table backends({"", "", ""});
  backends.add({{"simt"},
                mark(m.cpu.ok()),
                {m.cpu.ok() ? "CUDA on this CPU: " + m.cpu_name + fmt::format(", {} cores", m.cores)
                            : m.cpu.error}});
  backends.add({{"cuda"},
                mark(m.gpu.ok()),
                {device_text(m.gpu) + (driver.empty() ? "" : ", driver " + driver)}});
  backends.print();
  fmt::print("\n{}\n", paint(Tone::strong, "tools"));
  Table tools({"", "", ""});
  for (const Part& p : m.tools) tools.add({{p.name}, mark(p.found, p.needed), {p.what, Tone::dim}});
  tools.print();
  fmt::print("  {}\n", paint(Tone::dim, fmt::format("tried with {}", tried_compilers)));
  fmt::print("\n{}\n", paint(Tone::strong, "libraries"));
  Table libraries({"", "", ""});
  // Two or three for each op: those that open are counted by what follows the op's name.
  std::map<std::string, int> opened;
  for (const Part& p : m.libraries) {
    const bool wrong = p.name.find("_wrong_") != p.name.npos;
    if (p.found)
      ++opened["OP" + p.name.substr(wrong ? p.name.rfind("_wrong_") : p.name.rfind('_'))];
    else
      libraries.add({{p.name}, mark(false, true), {p.what, Tone::dim}});
  }
  for (const auto& [name, count] : opened)
    libraries.add({{name}, mark(true, true), {fmt::format("of {} folders", count), Tone::dim}});
  if (m.libraries.empty())
    libraries.add({{"none"}, {""}, {"./warpath run softmax builds what it needs"}});
  libraries.print();

  fmt::print("\n");
  if (!install.empty()) fmt::print("to install: {}\n", paint(Tone::note, install));
  if (!m.gpu.ok())
    fmt::print(
        "no GPU needed: run and check work on this CPU; bench needs an NVIDIA GPU with driver, and "
        "nvcc to build\n");
  if (!m.usable())
    fmt::print("{}\n",
               paint(Tone::bad,
                     "no backend works yet; ./warpath run softmax builds the one for this CPU"));
  return m.usable() ? all_passed : cannot;
}

}  // namespace

const Command doctor_command = {"doctor", "what this machine has, and what to install",
                                doctor_examples, add_json_flag, doctor};

}  // namespace warpath::cli
