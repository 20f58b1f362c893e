#include "python/src/ops.h"

#include <algorithm>
#include <map>

#include "harness/library.h"

namespace fs = std::filesystem;

namespace warpath::python {
namespace {

// ops/FAMILY/FOLDER by the folder's name. A wheel has no headers there, so that any folder counts.
std::map<std::string, fs::path> folders_in(const fs::path& ops) {
  std::map<std::string, fs::path> found;
  std::error_code ignored;
  for (const auto& family : fs::directory_iterator(ops, ignored))
    for (const auto& folder : fs::directory_iterator(family.path(), ignored))
      if (folder.is_directory(ignored)) found[folder.path().filename().string()] = folder.path();
  return found;
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

std::vector<TorchOp> find_ops(const Installation& at, std::vector<std::string>& failures) {
  harness::Places places;
  places.lib = at.lib;
  const std::map<std::string, fs::path> folders = folders_in(at.ops);
  const std::vector<std::string> hosts = harness::built_folders(places, "host");
  for (const Backend backend : {simt, cuda})
    for (const std::string& name : harness::built_folders(places, backend_names[backend]))
      if (!std::binary_search(hosts.begin(), hosts.end(), name))
        failures.push_back(places.op_library(name, backend_names[backend]).string() +
                           ": there is no " + name + "_host.so beside it");
  std::map<std::string, TorchOp> found;
  for (const std::string& name : hosts) {
    const harness::OpenFolder opened = harness::open_folder(places, name, "");
    if (!opened.ok()) {
      failures.push_back(opened.error);
      continue;
    }
    const auto folder = folders.find(name);
    for (const Op* op : opened.ops) {
      TorchOp& t = found[op->contract.name()];
      t.name = op->contract.name();
      t.folder = name;
      if (folder != folders.end()) t.path = folder->second;
      t.library = places.op_library(name, "host");
      t.op = op;
      t.contract = &op->contract;
      for (const Backend backend : {simt, cuda})
        t.ladders[backend] = std::make_unique<LazyLadder>(at, name, t.name, backend);
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
