// An op's cases for Python, as the harness makes them for the rungs: the same inputs, the same float64
// reference, the same verdict. So a Triton twin or another library must pass what our kernels must
// pass. Python calls this through ctypes; see python/warpath/_cases.py.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/host/error.h"
#include "harness/case_data.h"
#include "harness/library.h"

using nlohmann::json;

namespace warpath::python {
namespace {

// The host library of a folder.
const Library& registry(const char* path) {
  const harness::OpenLibrary library = harness::open_library(path);
  WARPATH_CHECK(library.ok(), library.error);
  return *library.registry;
}

json scalars_of(const Op& op, const Case& test) {
  json all = json::object();
  for (const ArgSpec& a : op.contract.args()) {
    if (a.role != Role::scalar) continue;
    const auto given = test.scalars.find(a.name);
    const double value = given == test.scalars.end() ? a.fallback : given->second.stored(a);
    switch (a.scalar) {
      case ScalarType::integer:
        all[a.name] = static_cast<std::int64_t>(value);
        break;
      case ScalarType::real:
        all[a.name] = value;
        break;
      case ScalarType::boolean:
        all[a.name] = value != 0;
        break;
      case ScalarType::choice:
        all[a.name] = a.choices.at(static_cast<std::size_t>(value));
        break;
    }
  }
  return all;
}

json cases_of(const Op& op) {
  json all = json::array();
  for (const Case& c : op.cases) {
    json dtypes = json::array();
    for (const DType d : harness::dtypes_of(op, c)) dtypes.push_back(std::string(name(d)));
    std::int64_t elements = 0;
    for (const harness::TensorPlan& t :
         harness::make_plan(op, c, harness::dtypes_of(op, c).front()).tensors)
      elements += t.size;
    all.push_back({{"name", c.name},
                   {"dims", c.dims},
                   {"dtypes", dtypes},
                   {"scalars", scalars_of(op, c)},
                   {"offset", c.offset},
                   {"elements", elements},
                   {"bench", c.bench}});
  }
  return all;
}

const Op& find_op(const Library& library, const std::string& wanted) {
  for (const Op& op : library.ops)
    if (op.contract.name() == wanted) return op;
  throw Error("there is no op '" + wanted + "' in its library");
}

// One case in one dtype, with the memory its inputs lie in.
class Made {
 public:
  Made(const Op& op, const Case& test, DType dtype, std::uint64_t seed)
      : test_(test),
        plan_(harness::make_plan(op, test_, dtype)),
        inputs_(std::max<std::int64_t>(plan_.input_bytes, 1)),
        data_(plan_, seed, inputs_) {
    json tensors = json::array();
    for (const harness::TensorPlan& t : plan_.tensors)
      tensors.push_back({{"name", t.spec->name},
                         {"list", t.spec->list},
                         {"dtype", std::string(name(t.dtype))},
                         {"shape", t.shape},
                         {"stride", t.stride},
                         {"bytes", t.bytes},
                         {"offset", t.offset},
                         {"present", t.present},
                         {"input_at", t.input_at},
                         {"output_at", t.output_at}});
    facts_ = json{{"tensors", tensors},
                  {"scalars", scalars_of(op, test_)},
                  {"output_bytes", plan_.output_bytes},
                  {"bytes", data_.cost().bytes},
                  {"flops", data_.cost().flops}}
                 .dump();
  }

  const char* facts() const { return facts_.c_str(); }
  const void* inputs() const { return inputs_.at(0); }

  const char* judge(const char* outputs) {
    const harness::Verdict v = data_.judge(outputs);
    const auto finite = [](double x) { return std::isfinite(x) ? json(x) : json("infinite"); };
    verdict_ =
        json{{"passed", v.passed},       {"reason", v.reason},   {"largest", finite(v.largest)},
             {"error", finite(v.error)}, {"allowed", v.allowed}, {"ratio", finite(v.ratio)}}
            .dump();
    return verdict_.c_str();
  }

 private:
  Case test_;
  harness::Plan plan_;
  harness::SharedArena inputs_;
  harness::CaseData data_;
  std::string facts_, verdict_;
};

// Runs f; what it throws becomes a text for warpath_case_error.
thread_local std::string last_error;
template <class F>
auto guarded(F&& f) -> decltype(f()) {
  try {
    return f();
  } catch (const std::exception& e) {
    last_error = e.what();
    return nullptr;
  }
}

}  // namespace
}  // namespace warpath::python

#define WARPATH_EXPORT extern "C" __attribute__((visibility("default")))
using warpath::python::Made;

// Why the last call on this thread returned null.
WARPATH_EXPORT const char* warpath_case_error() {
  return warpath::python::last_error.c_str();
}

// {"softmax": [case, …], …}; the text lives until this thread's next call.
WARPATH_EXPORT const char* warpath_cases(const char* library) {
  return warpath::python::guarded([&]() -> const char* {
    thread_local std::string text;
    json all = json::object();
    for (const warpath::Op& op : warpath::python::registry(library).ops)
      all[op.contract.name()] = warpath::python::cases_of(op);
    text = all.dump();
    return text.c_str();
  });
}

// A case by its name, with other sizes where `dims` (a JSON object) gives some; the seed of the rungs' own check is 1.
WARPATH_EXPORT Made* warpath_case_new(const char* library, const char* op, const char* test,
                                      const char* dims, const char* dtype, std::uint64_t seed) {
  return warpath::python::guarded([&]() -> Made* {
    const warpath::Op& found = warpath::python::find_op(warpath::python::registry(library), op);
    const json sizes = json::parse(dims);
    for (warpath::Case c : found.cases) {
      if (c.name != test) continue;
      for (const auto& [name, size] : sizes.items()) c.dims[name] = size;
      warpath::harness::check_case(found, c);
      for (const warpath::DTypeInfo& d : warpath::dtype_table)
        if (d.name == dtype) return new Made(found, c, d.dtype, seed);
      throw warpath::Error(std::string("there is no dtype '") + dtype + "'");
    }
    throw warpath::Error(std::string("op '") + op + "' has no case '" + test + "'");
  });
}

WARPATH_EXPORT const char* warpath_case_facts(const Made* made) {
  return made->facts();
}
WARPATH_EXPORT const void* warpath_case_inputs(const Made* made) {
  return made->inputs();
}
// `outputs` holds every output at its output_at.
WARPATH_EXPORT const char* warpath_case_judge(Made* made, const char* outputs) {
  return made->judge(outputs);
}
WARPATH_EXPORT void warpath_case_delete(Made* made) {
  delete made;
}
