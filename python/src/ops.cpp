#include "python/src/ops.h"

#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/library.h"

namespace warpath::python {
namespace {

// Empty where the backend was not built.
std::optional<Runtime> open_runtime(const std::filesystem::path& path,
                                    std::vector<std::string>& problems) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  Runtime r;
  if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    r.arch = reinterpret_cast<decltype(r.arch)>(dlsym(library, "warpath_arch"));
    r.devices = reinterpret_cast<decltype(r.devices)>(dlsym(library, "warpath_devices"));
    r.finish = reinterpret_cast<decltype(r.finish)>(dlsym(library, "warpath_finish"));
    r.zero = reinterpret_cast<decltype(r.zero)>(dlsym(library, "warpath_zero"));
    r.pause_checks =
        reinterpret_cast<decltype(r.pause_checks)>(dlsym(library, "simt_pause_checks"));
    r.resume_checks =
        reinterpret_cast<decltype(r.resume_checks)>(dlsym(library, "simt_resume_checks"));
  }
  if (r.arch && r.devices && r.finish && r.zero) return r;
  const char* why = dlerror();
  problems.push_back(why ? why : path.string() + ": cannot be opened");
  return std::nullopt;
}

void order_parameters(TorchOp& op) {
  const auto add = [&](auto&& wanted) {
    for (const ArgSpec& a : op.contract->args())
      if (wanted(a)) op.parameters.push_back(&a);
  };
  add([](const ArgSpec& a) { return a.is_input() && !a.optional; });
  add([](const ArgSpec& a) { return a.is_input() && a.optional; });
  add([](const ArgSpec& a) { return a.role == Role::scalar; });
  for (const ArgSpec& a : op.contract->args()) {
    if (a.role == Role::scratch) op.scratch = &a;
    if (a.role != Role::out) continue;
    op.outputs.push_back(&a);
    if (!a.same_as.empty() || a.dtypes.size() < 2) continue;
    ArgSpec choice;
    choice.name = a.name + "_dtype";
    choice.role = Role::scalar;
    choice.scalar = ScalarType::choice;
    choice.same_as = a.name;
    choice.choices.emplace_back();
    for (const DType d : a.dtypes) choice.choices.emplace_back(name(d));
    op.dtype_choices.push_back(std::make_unique<ArgSpec>(std::move(choice)));
    op.parameters.push_back(op.dtype_choices.back().get());
  }
}

}  // namespace

std::vector<TorchOp> find_ops(const std::filesystem::path& package,
                              const std::filesystem::path& folder,
                              std::vector<std::string>& problems) {
  harness::Places places;
  places.lib = folder;
  std::map<std::string, TorchOp> found;
  for (const Backend backend : {simt, cuda}) {
    const auto runtime = open_runtime(
        package / (std::string("runtime_") + backend_names[backend] + ".so"), problems);
    if (!runtime) continue;
    for (const std::string& name : harness::built_folders(places, backend_names[backend])) {
      const auto path = places.op_library(name, backend_names[backend], false);
      const harness::OpenLibrary library = harness::open_library(path, name);
      if (!library.ok()) {
        problems.push_back(library.error);
        continue;
      }
      for (const Op& op : library.registry->ops) {
        TorchOp& t = found[op.contract.name()];
        t.name = op.contract.name();
        t.folder = name;
        t.library = path.string();
        if (!t.contract) t.contract = &op.contract;
        Ladder& ladder = t.ladders[backend];
        ladder.op = &op;
        ladder.runtime = *runtime;
        for (const Rung& r : library.registry->rungs)
          if (r.op == t.name && !r.peer) ladder.rungs.push_back(&r);
      }
    }
  }
  std::vector<TorchOp> ops;
  for (auto& [name, op] : found) {
    order_parameters(op);
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace warpath::python
