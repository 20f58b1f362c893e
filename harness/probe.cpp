#include "harness/probe.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "harness/backend.h"
#include "harness/buffer.h"
#include "harness/device_lock.h"
#include "harness/trial.h"
#include "harness/worker.h"

using nlohmann::json;

namespace warpath::harness {
namespace {

constexpr double probe_seconds = 60;  // the first use of a driver can be slow

Worker::Serve serve_probe(const std::filesystem::path& library) {
  const Device& device = open_device(library);
  return [&device](const json& command) -> json {
    try {
      if (command.at("do") == "describe") {
        DeviceInfo i{};
        must(device.describe(&i));
        return {{"status", "ok"},   {"name", i.name},           {"arch", i.arch},
                {"sms", i.sms},     {"driver", i.driver},       {"runtime", i.runtime},
                {"l2", i.l2_bytes}, {"memory", i.memory_bytes}, {"method", device.method}};
      }
      const auto rate = command.at("do") == "copy" ? device.copy_rate : device.matmul_rate;
      if (!rate) return {{"status", "failed"}, {"reason", "no vendor library"}};
      Rate r{};
      must(rate(&r));
      return {{"status", "ok"}, {"rate", r.per_second}, {"how", r.how}};
    } catch (const std::exception& e) {
      return {{"status", "failed"}, {"reason", e.what()}};
    }
  };
}

json ask(Worker& worker, const json& command) {
  if (auto reply = worker.ask(command, probe_seconds)) return *reply;
  return {{"status", "failed"}, {"reason", "the device gave no answer"}};
}

}  // namespace

Probe probe_device(const std::filesystem::path& library) {
  Probe p;
  if (!std::filesystem::exists(library)) {
    p.error = library.filename().string() + " is not built";
    return p;
  }
  Worker worker([&] {
    prepare_worker(0, 0);
    return serve_probe(library);
  });
  const json reply = ask(worker, {{"do", "describe"}});
  if (reply.value("status", "") != "ok") {
    p.error = reply.value("reason", "unknown");
    return p;
  }
  std::snprintf(p.info.name, sizeof p.info.name, "%s", reply.value("name", "").c_str());
  p.info.arch = reply.value("arch", 0);
  p.info.sms = reply.value("sms", 0);
  p.info.driver = reply.value("driver", 0);
  p.info.runtime = reply.value("runtime", 0);
  p.info.l2_bytes = reply.value("l2", std::int64_t{0});
  p.info.memory_bytes = reply.value("memory", std::int64_t{0});
  p.method = reply.value("method", "");
  return p;
}

Roofline measure_roofline(const std::filesystem::path& library) {
  const DeviceLock turn(true);
  Roofline r;
  for (const char* what : {"copy", "matmul"}) {
    Worker worker([&] { return serve_probe(library); });
    const json reply = ask(worker, {{"do", what}});
    if (reply.value("status", "") == "ok")
      (std::string(what) == "copy" ? r.copy : r.matmul) =
          MeasuredRate{reply.at("rate"), reply.at("how")};
    else
      r.error += (r.error.empty() ? "" : "; ") + std::string(what) +
                 " rate: " + reply.value("reason", "unknown");
  }
  return r;
}

double Roofline::floor_seconds(double bytes, double flops) const {
  // Far more operations than bytes: arithmetic may be the floor, and without its rate there is none.
  constexpr double many = 32;
  if (!matmul && flops > many * bytes) return 0;
  const double by_memory = copy ? bytes / copy->per_second : 0;
  const double by_arithmetic = matmul ? flops / matmul->per_second : 0;
  return std::max(by_memory, by_arithmetic);
}

std::string driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  for (std::string word; file >> word;) {
    const bool version = word.size() > 4 && std::isdigit(static_cast<unsigned char>(word[0])) &&
                         word.find('.') != std::string::npos &&
                         word.find_first_not_of("0123456789.") == std::string::npos;
    if (version) return word;
  }
  return {};
}

std::string device_slug(const std::string& name) {
  std::istringstream words(name);
  std::string slug;
  for (std::string word; words >> word;) {
    if (word == "NVIDIA" || word == "Tesla" || word == "GeForce") continue;
    slug = word;
    // "RTX 4090": the letters alone name a family.
    if (word != "RTX" && word != "GTX" && word != "Quadro") break;
    if (words >> word) slug += "_" + word;
    break;
  }
  slug = slug.substr(0, slug.find('-'));
  std::string clean;
  for (const char c : slug.empty() ? name : slug)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      clean += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return clean.empty() ? "device" : clean;
}

}  // namespace warpath::harness
