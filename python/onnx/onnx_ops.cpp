// Every op of the libraries beside this file as a custom op of ONNX Runtime, domain "warpath": the best
// rung that takes the tensors runs on this CPU by simt. For
//   SessionOptions.register_custom_ops_library("onnx_ops.so")
// Scalars of the contract are attributes: whole numbers and booleans as ints, choices as strings, and "rung" names a rung.
// Tensors that may be left out are optional inputs. The runtime tells an op's result types by its inputs' alone, so an
// output whose type the caller chooses has a node for each: matmul gives what its inputs are, matmul_d_f32 floats.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "core/error.h"
#include "harness/library.h"
#include "python/onnx/ort.h"

namespace warpath::ort {
namespace {

std::optional<Element> element_of(DType d) {
  switch (d) {
    case DType::f64:
      return Element::f64;
    case DType::f32:
      return Element::f32;
    case DType::f16:
      return Element::f16;
    case DType::bf16:
      return Element::bf16;
    case DType::i64:
      return Element::i64;
    case DType::i32:
      return Element::i32;
    case DType::u8:
      return Element::u8;
    case DType::boolean:
      return Element::boolean;
  }
  return std::nullopt;
}

void must(const ApiTable* api, Status* status) {
  if (!status) return;
  const std::string text = message(api, status);
  release_status(api, status);
  throw Error(text);
}

// One op in one dtype: the runtime wants a type for every input and output.
struct TypedOp : CustomOp {
  const Op* op = nullptr;
  const Library* library = nullptr;
  const char* (*finish)() = nullptr;
  bool (*pause_checks)() = nullptr;  // see python/src/ops.h
  void (*resume_checks)() = nullptr;
  std::string op_name;    // of the contract
  std::string node_name;  // with the types of outputs that differ from the inputs'
  std::vector<const ArgSpec*> inputs, outputs;
  std::vector<DType> input_types, output_types;
};

const TypedOp& self(const CustomOp* op) {
  return *static_cast<const TypedOp*>(op);
}

// Types of outputs that leave theirs to the call.
using Chosen = std::map<const ArgSpec*, DType>;

DType dtype_of(const Contract& contract, const ArgSpec& a, DType run, const Chosen& chosen = {}) {
  if (!a.same_as.empty()) return dtype_of(contract, *contract.find(a.same_as), run, chosen);
  if (const auto told = chosen.find(&a); told != chosen.end()) return told->second;
  const bool takes = std::find(a.dtypes.begin(), a.dtypes.end(), run) != a.dtypes.end();
  return takes && !a.index ? run : a.dtypes.at(0);
}

// A node: its attributes are in the args struct already.
class Kernel {
 public:
  Kernel(const TypedOp& op, const ApiTable* api, const KernelInfo* info) : op_(op), api_(api) {
    const std::size_t units = op.op->args_size / sizeof(std::max_align_t) + 1;
    args_ = std::make_unique<std::max_align_t[]>(units);
    op.op->construct(args_.get());
    for (const ArgSpec& a : op.op->contract.args())
      if (a.role == Role::scalar) set_scalar(args_.get(), a, attribute(info, a));
    rung_ = text_attribute(info, "rung").value_or("");
  }

  void compute(KernelContext* context) {
    // Sessions may run on several threads: each call has its own args.
    const std::size_t bytes = (op_.op->args_size / sizeof(std::max_align_t) + 1);
    auto args = std::make_unique<std::max_align_t[]>(bytes);
    std::memcpy(args.get(), args_.get(), bytes * sizeof(std::max_align_t));
    Dims dims;
    Lead lead;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i)
      bind_input(context, i, args.get(), dims, lead);
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < op_.outputs.size(); ++i)
      elements += make_output(context, i, args.get(), dims, lead);
    if (elements > 0) launch(args.get());
  }

 private:
  // The leading axes, which a launcher sees as one; empty until an input has told them.
  using Lead = std::optional<std::vector<std::int64_t>>;

  // Empty where the node has no such attribute.
  std::optional<std::string> text_attribute(const KernelInfo* info, const char* name) const {
    char text[64] = {};
    std::size_t size = sizeof text;
    Status* const missing = attribute_string(api_, info, name, text, &size);
    if (missing) release_status(api_, missing);
    return missing ? std::nullopt : std::optional<std::string>(text);
  }

  double attribute(const KernelInfo* info, const ArgSpec& a) const {
    const char* name = a.name.c_str();
    const auto missing = [&](Status* status) {  // then it is the contract's default
      if (status) release_status(api_, status);
      return status != nullptr;
    };
    if (a.scalar == ScalarType::real) {
      float value = 0;
      return missing(attribute_float(api_, info, name, &value)) ? a.fallback : value;
    }
    if (a.scalar != ScalarType::choice) {
      std::int64_t value = 0;
      return missing(attribute_int(api_, info, name, &value)) ? a.fallback
                                                              : static_cast<double>(value);
    }
    const auto text = text_attribute(info, name);
    if (!text) return a.fallback;
    const auto found = std::find(a.choices.begin(), a.choices.end(), *text);
    if (found == a.choices.end())
      throw Error("warpath." + op_.op_name + ": attribute '" + a.name + "' is '" + *text + "'");
    return static_cast<double>(found - a.choices.begin());
  }

  void bind_input(KernelContext* context, std::size_t i, void* args, Dims& dims, Lead& lead) const {
    const ArgSpec& a = *op_.inputs[i];
    const Value* value = nullptr;
    must(api_, input(api_, context, i, &value));
    if (!value && a.optional) return;  // left out
    ShapeInfo* info = nullptr;
    must(api_, shape_info(api_, value, &info));
    std::size_t rank = 0;
    Status* failed = axes_count(api_, info, &rank);
    std::vector<std::int64_t> shape(rank);
    if (!failed) failed = axes(api_, info, shape.data(), rank);
    release_shape_info(api_, info);
    must(api_, failed);
    const bool leading = !a.dims.empty() && a.dims[0].leading;
    const std::size_t fixed = a.dims.size() - (leading ? 1 : 0);
    if (rank < fixed || (!leading && rank != fixed))
      throw Error("warpath." + op_.op_name + ": '" + a.name + "' has " + std::to_string(rank) +
                  " axes");
    std::vector<std::int64_t> merged;
    if (leading) {
      const std::vector<std::int64_t> mine(shape.begin(),
                                           shape.end() - static_cast<std::ptrdiff_t>(fixed));
      if (!lead) lead = mine;
      if (*lead != mine)
        throw Error("warpath." + op_.op_name + ": the leading axes of '" + a.name +
                    "' are not those of the inputs before it");
      merged.push_back(1);
      for (const std::int64_t n : mine) merged[0] *= n;
    }
    merged.insert(merged.end(), shape.end() - static_cast<std::ptrdiff_t>(fixed), shape.end());
    for (std::size_t d = 0; d < a.dims.size(); ++d)
      if (!a.dims[d].name.empty()) dims.emplace(a.dims[d].name, merged[d] - a.dims[d].plus);
    void* data = nullptr;
    must(api_, tensor_data(api_, const_cast<Value*>(value), &data));
    set(tensor_at(args, a), data, op_.input_types[i], merged);
  }

  std::int64_t make_output(KernelContext* context, std::size_t i, void* args, const Dims& dims,
                           const Lead& lead) const {
    const ArgSpec& a = *op_.outputs[i];
    const std::vector<std::int64_t> merged = shape_of(a, dims);
    std::vector<std::int64_t> shape;
    for (std::size_t d = 0; d < merged.size(); ++d) {
      if (a.dims[d].leading)
        shape.insert(shape.end(), lead->begin(), lead->end());
      else
        shape.push_back(merged[d]);
    }
    Value* value = nullptr;
    must(api_, output(api_, context, i, shape.data(), shape.size(), &value));
    void* data = nullptr;
    must(api_, tensor_data(api_, value, &data));
    Tensor& t = tensor_at(args, a);
    set(t, data, op_.output_types[i], merged);
    return t.size();
  }

  static void set(Tensor& t, void* data, DType dtype, const std::vector<std::int64_t>& shape) {
    t.data = data;
    t.dtype = dtype;
    t.rank = static_cast<int>(shape.size());
    std::int64_t step = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      t.shape[i] = shape[i];
      t.stride[i] = step;
      step *= shape[i];
    }
  }

  void launch(void* args) const {
    std::string reasons;
    const Rung* best = nullptr;
    for (const Rung& r : op_.library->rungs) {
      if (r.op != op_.op_name || r.peer) continue;
      if (!r.name.starts_with(rung_)) continue;
      const std::string why = r.supports ? r.supports(args) : "";
      if (why.empty() && (!best || r.name > best->name)) best = &r;
      if (!why.empty()) reasons += "; " + r.name + ": " + why;
    }
    if (!best && reasons.empty())
      throw Error("warpath." + op_.op_name + ": there is no rung '" + rung_ + "'");
    if (!best) throw Error("warpath." + op_.op_name + ": no rung takes these tensors" + reasons);
    std::vector<std::max_align_t> scratch;
    for (const ArgSpec& a : op_.op->contract.args()) {
      if (a.role != Role::scratch || !best->scratch) continue;
      const std::int64_t bytes = best->scratch(args);
      scratch.resize(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
      std::memset(scratch.data(), 0, scratch.size() * sizeof(std::max_align_t));
      scratch_at(args, a) = {scratch.data(), bytes};
    }
    const bool paused = op_.pause_checks && op_.pause_checks();
    const auto resume = [&] {
      if (paused) op_.resume_checks();
    };
    try {
      best->launch(args, nullptr);
      if (const char* error = op_.finish()) throw Error("warpath." + op_.op_name + ": " + error);
    } catch (...) {
      resume();
      throw;
    }
    resume();
  }

  const TypedOp& op_;
  const ApiTable* api_;
  std::unique_ptr<std::max_align_t[]> args_;
  std::string rung_;  // a name or its beginning; empty: the best
};

void fill_callbacks(TypedOp& t) {
  t.version = 8;  // the first with optional inputs
  t.create_kernel = [](const CustomOp* op, const ApiTable* api, const KernelInfo* info) -> void* {
    return new Kernel(self(op), api, info);
  };
  t.name = [](const CustomOp* op) { return self(op).node_name.c_str(); };
  t.provider = [](const CustomOp*) -> const char* { return nullptr; };  // the CPU's
  t.input_type = [](const CustomOp* op, std::size_t i) {
    return *element_of(self(op).input_types[i]);
  };
  t.input_count = [](const CustomOp* op) { return self(op).inputs.size(); };
  t.output_type = [](const CustomOp* op, std::size_t i) {
    return *element_of(self(op).output_types[i]);
  };
  t.output_count = [](const CustomOp* op) { return self(op).outputs.size(); };
  // What is thrown here, the runtime turns into a failed run.
  t.compute = [](void* kernel, KernelContext* context) {
    static_cast<Kernel*>(kernel)->compute(context);
  };
  t.input_kind = [](const CustomOp* op, std::size_t i) {
    return self(op).inputs[i]->optional ? 1 : 0;
  };
  t.output_kind = t.input_memory = [](const CustomOp*, std::size_t) { return 0; };
  for (auto& v : t.variadic) v = [](const CustomOp*) { return 1; };
  t.first_version = [](const CustomOp*) { return 1; };
  t.last_version = [](const CustomOp*) { return 1 << 30; };
  t.may_be_in_place = t.aliases = [](int**, int**) { return std::size_t{0}; };
  t.release_in_place = t.release_aliases = [](int*, int*) {};
  t.destroy = [](void* kernel) { delete static_cast<Kernel*>(kernel); };
}

// The folder of this library.
std::filesystem::path here() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<const void*>(&fill_callbacks), &info)) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

// Every choice of types for the outputs that leave theirs to the call.
std::vector<Chosen> choices_of(const Contract& contract) {
  std::vector<Chosen> all(1);
  for (const ArgSpec& a : contract.args()) {
    if (a.role != Role::out || !a.same_as.empty() || a.dtypes.size() < 2) continue;
    std::vector<Chosen> longer;
    for (const Chosen& so_far : all)
      for (const DType d : a.dtypes) {
        longer.push_back(so_far);
        longer.back()[&a] = d;
      }
    all = std::move(longer);
  }
  return all;
}

// Inputs in the order of the torch op: those that may be left out come last.
TypedOp typed_op(const Op& op, DType run, const Chosen& chosen) {
  const Contract& contract = op.contract;
  TypedOp t{};
  fill_callbacks(t);
  t.op = &op;
  t.op_name = t.node_name = contract.name();
  for (const bool optional : {false, true})
    for (const ArgSpec& a : contract.args())
      if (a.role == Role::in && a.optional == optional) {
        t.inputs.push_back(&a);
        t.input_types.push_back(dtype_of(contract, a, run, chosen));
      }
  for (const ArgSpec& a : contract.args()) {
    if (a.role != Role::out) continue;
    t.outputs.push_back(&a);
    t.output_types.push_back(dtype_of(contract, a, run, chosen));
    if (const auto told = chosen.find(&a);
        told != chosen.end() && told->second != dtype_of(contract, a, run))
      t.node_name += "_" + a.name + "_" + std::string(name(told->second));
  }
  return t;
}

bool changes_in_place(const Contract& contract) {
  return std::any_of(contract.args().begin(), contract.args().end(),
                     [](const ArgSpec& a) { return a.role == Role::inout; });
}

// Kept for as long as the process lives: sessions point to them.
std::deque<TypedOp>& all_ops() {
  static auto* const ops = [] {
    auto* made = new std::deque<TypedOp>;
    void* runtime = dlopen((here() / "runtime_simt.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto finish =
        runtime ? reinterpret_cast<const char* (*)()>(dlsym(runtime, "warpath_finish")) : nullptr;
    if (!finish) throw Error("runtime_simt.so cannot be opened");
    const auto pause = reinterpret_cast<bool (*)()>(dlsym(runtime, "simt_pause_checks"));
    const auto resume = reinterpret_cast<void (*)()>(dlsym(runtime, "simt_resume_checks"));
    harness::Places places;
    places.lib = here() / "lib";
    for (const std::string& folder : harness::built_folders(places, "simt")) {
      const auto library = harness::open_library(places.op_library(folder, "simt", false), folder);
      if (!library.ok()) continue;
      for (const Op& op : library.registry->ops) {
        if (changes_in_place(op.contract)) continue;  // a graph's values never change
        for (const DType dtype : op.contract.dtypes())
          for (const Chosen& chosen : choices_of(op.contract)) {
            made->push_back(typed_op(op, dtype, chosen));
            made->back().library = library.registry;
            made->back().finish = finish;
            made->back().pause_checks = pause;
            made->back().resume_checks = resume;
          }
      }
    }
    return made;
  }();
  return *ops;
}

}  // namespace
}  // namespace warpath::ort

extern "C" __attribute__((visibility("default"))) warpath::ort::Status* RegisterCustomOps(
    warpath::ort::SessionOptions* options, const warpath::ort::ApiBase* base) {
  using namespace warpath::ort;
  const ApiTable* api = base->get_api(1);
  try {
    Domain* domain = nullptr;
    if (Status* failed = create_domain(api, "warpath", &domain)) return failed;
    for (const TypedOp& op : all_ops())
      if (Status* failed = add_op(api, domain, &op)) return failed;
    return add_domain(api, options, domain);
  } catch (const std::exception& e) {
    return create_status(api, 1, e.what());
  }
}
