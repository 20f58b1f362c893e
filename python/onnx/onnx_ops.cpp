// Every op of the libraries beside this file as a custom op of ONNX Runtime, domain "warpath": the best
// rung that takes the tensors runs on this CPU by simt. For
//   SessionOptions.register_custom_ops_library("onnx_ops.so")
// Scalars of the contract are attributes: whole numbers and booleans as ints, choices as strings; "rung" names a rung.
// Optional tensors are optional inputs. The runtime derives result types from the inputs' types alone, so an output
// whose type the caller chooses has a node per type: matmul gives the type of its inputs, matmul_d_f32 gives f32.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "core/host/args.h"
#include "core/host/bindings.h"
#include "core/host/choose.h"
#include "core/host/error.h"
#include "harness/library.h"
#include "python/onnx/ort.h"
#include "python/src/ladder.h"

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
    case DType::i16:
      return Element::i16;
    case DType::i8:
      return Element::i8;
    case DType::u64:
      return Element::u64;
    case DType::u32:
      return Element::u32;
    case DType::u16:
      return Element::u16;
    case DType::u8:
      return Element::u8;
    case DType::boolean:
      return Element::boolean;
  }
  return std::nullopt;
}

constexpr int simt_arch = 90;  // of the device that simt is

void must(const ApiTable* api, Status* status) {
  if (!status) return;
  const std::string text = message(api, status);
  release_status(api, status);
  throw Error(text);
}

// One op in one dtype: the runtime wants a type for every input and output.
struct TypedOp : CustomOp {
  const Op* op = nullptr;
  std::shared_ptr<python::LazyLadder> ladder;  // opened where a session has a node of the op
  std::string op_name;                         // of the contract
  std::string node_name;  // with the types of outputs that differ from the inputs'
  std::vector<const ArgSpec*> inputs, outputs;
  std::vector<DType> input_types, output_types;
};

const TypedOp& self(const CustomOp* op) {
  return *static_cast<const TypedOp*>(op);
}

// Types of the outputs whose type the call chooses, by name.
using Chosen = std::map<std::string, DType>;

// A node: its attributes are in the args struct already.
class Kernel {
 public:
  Kernel(const TypedOp& op, const ApiTable* api, const KernelInfo* info)
      : op_(op), api_(api), ladder_(op.ladder->open()), args_(*op.op) {
    if (!ladder_) throw Error("warpath." + op.op_name + ": there are no kernels for the CPU");
    for (const ArgSpec& a : op.op->contract.args())
      if (a.role == Role::scalar) set_attribute(info, a);
    rung_ = text_attribute(info, "rung").value_or("");
  }

  void compute(KernelContext* context) const {
    ArgsBlock args = args_;  // sessions may run on several threads: each call has its own
    std::vector<std::vector<std::int64_t>> shapes(op_.inputs.size());  // the bindings point there
    Bindings bindings;
    for (std::size_t i = 0; i < op_.inputs.size(); ++i)
      bind_input(context, i, args, shapes[i], bindings);
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < op_.outputs.size(); ++i)
      elements += make_output(context, i, args, bindings);
    if (elements == 0) return;
    try {
      if (op_.op->check) op_.op->check(args.get());
      launch(args.get());
    } catch (const std::exception& e) {
      std::string why = python::without_place(e.what());
      if (why.starts_with("warpath.")) throw;
      if (why.starts_with(op_.op_name + ": ")) why = why.substr(op_.op_name.size() + 2);
      throw Error("warpath." + op_.op_name + ": " + why);
    }
  }

 private:
  // Empty where the node has no such attribute.
  std::optional<std::string> text_attribute(const KernelInfo* info, const char* name) const {
    char text[64] = {};
    std::size_t size = sizeof text;
    Status* const missing = attribute_string(api_, info, name, text, &size);
    if (missing) release_status(api_, missing);
    return missing ? std::nullopt : std::optional<std::string>(text);
  }

  // Where the node has no such attribute the contract's default stays.
  void set_attribute(const KernelInfo* info, const ArgSpec& a) {
    const char* name = a.name.c_str();
    const auto given = [&](Status* missing) {
      if (missing) release_status(api_, missing);
      return !missing;
    };
    std::int64_t number = 0;
    switch (a.scalar) {
      case ScalarType::real: {
        float value = 0;
        if (given(attribute_float(api_, info, name, &value))) set_scalar(args_.get(), a, value);
        return;
      }
      case ScalarType::integer:
        if (given(attribute_int(api_, info, name, &number))) set_integer(args_.get(), a, number);
        return;
      case ScalarType::boolean:
        if (given(attribute_int(api_, info, name, &number)))
          set_scalar(args_.get(), a, number != 0);
        return;
      case ScalarType::choice: {
        const auto text = text_attribute(info, name);
        if (!text) return;
        const auto found = find_choice(a, *text);
        if (!found)
          throw Error("warpath." + op_.op_name + ": attribute '" + a.name + "' is '" + *text + "'");
        set_scalar(args_.get(), a, *found);
        return;
      }
    }
  }

  void bind_input(KernelContext* context, std::size_t i, ArgsBlock& args,
                  std::vector<std::int64_t>& shape, Bindings& bindings) const {
    const ArgSpec& a = *op_.inputs[i];
    const Value* value = nullptr;
    must(api_, input(api_, context, i, &value));
    if (!value && a.optional) return;  // left out
    ShapeInfo* info = nullptr;
    must(api_, shape_info(api_, value, &info));
    std::size_t rank = 0;
    Status* failed = axes_count(api_, info, &rank);
    shape.resize(rank);
    if (!failed) failed = axes(api_, info, shape.data(), rank);
    release_shape_info(api_, info);
    must(api_, failed);
    if (const auto wrong = bindings.bind(a, shape)) {
      const bool leading = wrong->is.dim && wrong->is.dim->leading;
      throw Error("warpath." + op_.op_name + ": " +
                  (leading ? "the leading axes of '" + a.name +
                                 "' are not those of the inputs before it: it "
                           : "'" + a.name + "' ") +
                  wrong->text());
    }
    void* data = nullptr;
    must(api_, tensor_data(api_, const_cast<Value*>(value), &data));
    set_tensor(args.tensor(a), a, data, op_.input_types[i], shape);
  }

  std::int64_t make_output(KernelContext* context, std::size_t i, ArgsBlock& args,
                           const Bindings& bindings) const {
    const ArgSpec& a = *op_.outputs[i];
    const Shape shape = bindings.shape_of(a, op_.op->contract, args.get());
    Value* value = nullptr;
    must(api_, output(api_, context, i, shape.sizes.data(), shape.rank, &value));
    void* data = nullptr;
    must(api_, tensor_data(api_, value, &data));
    set_tensor(args.tensor(a), a, data, op_.output_types[i], shape);
    return args.tensor(a).size();
  }

  const Rung& choose(const void* args) const {
    const std::vector<const Rung*>& rungs = ladder_->rungs;
    if (!rung_.empty()) {
      const NamedRung named = find_rung(rungs, rung_);
      std::string text = "warpath." + op_.op_name + ": there is no rung '" + rung_ + "'";
      if (!named.rung && !named.begun.empty()) {
        text += " alone; several begin so:";
        for (const Rung* r : named.begun) text += " " + r->name;
      } else if (!named.rung && named.nearest) {
        text += "; did you mean '" + named.nearest->name + "'?";
      }
      if (!named.rung) throw Error(text);
      const std::string why = obstacle(*named.rung, args, simt_arch);
      if (why.empty()) return *named.rung;
      throw Error("warpath." + op_.op_name + ": rung '" + named.rung->name +
                  "' cannot take these tensors: " + why);
    }
    if (const Rung* const best = choose_rung(rungs, args, simt_arch)) return *best;
    std::string reasons;
    for (const Rung* r : rungs) reasons += "; " + r->name + ": " + obstacle(*r, args, simt_arch);
    throw Error("warpath." + op_.op_name + ": no rung takes these tensors" + reasons);
  }

  void launch(void* args) const {
    const Rung& best = choose(args);
    std::vector<std::max_align_t> scratch;
    for (const ArgSpec& a : op_.op->contract.args()) {
      if (a.role != Role::scratch) continue;
      const std::int64_t bytes = best.scratch(args);
      scratch.resize(static_cast<std::size_t>(bytes) / sizeof(std::max_align_t) + 1);
      std::memset(scratch.data(), 0, scratch.size() * sizeof(std::max_align_t));
      scratch_at(args, a) = {scratch.data(), bytes};
    }
    const python::ChecksPaused paused(ladder_->runtime);
    const python::Lent lent(ladder_->runtime, scratch.data(),
                            static_cast<std::int64_t>(scratch.size() * sizeof(std::max_align_t)));
    call(*op_.op, best, args, nullptr);
    if (const std::string error = ladder_->runtime.trouble(); !error.empty())
      throw Error("warpath." + op_.op_name + ": " + error);
  }

  const TypedOp& op_;
  const ApiTable* api_;
  const python::Ladder* ladder_;
  ArgsBlock args_;
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

// Every choice of types for the outputs whose type the call chooses.
std::vector<Chosen> choices_of(const Contract& contract) {
  std::vector<Chosen> all(1);
  for (const ArgSpec& a : contract.args()) {
    if (a.role != Role::out || !a.same_as.empty() || a.dtypes.size() < 2) continue;
    std::vector<Chosen> longer;
    for (const Chosen& so_far : all)
      for (const DType d : a.dtypes) {
        longer.push_back(so_far);
        longer.back()[a.name] = d;
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
    if (const auto told = chosen.find(a.name);
        told != chosen.end() && told->second != dtype_of(contract, a, run))
      t.node_name += "_" + a.name + "_" + std::string(name(told->second));
  }
  return t;
}

bool has_no_node(const Contract& contract) {
  return std::any_of(contract.args().begin(), contract.args().end(),
                     [](const ArgSpec& a) { return a.role == Role::inout || a.list; });
}

// Kept for as long as the process lives: sessions point to them.
std::deque<TypedOp>& all_ops() {
  static auto* const ops = [] {
    auto* made = new std::deque<TypedOp>;
    const python::Installation at{here(), here() / "lib", here() / "ops"};
    harness::Places places;
    places.lib = at.lib;
    for (const std::string& folder : harness::built_folders(places, "host")) {
      const harness::OpenFolder opened = harness::open_folder(places, folder, "");
      if (!opened.ok()) continue;
      for (const Op* op : opened.ops) {
        const auto ladder =
            std::make_shared<python::LazyLadder>(at, folder, op->contract.name(), python::simt);
        if (!ladder->exists()) continue;
        if (has_no_node(op->contract)) continue;  // a graph's values never change
        for (const DType dtype : op->contract.dtypes())
          for (const Chosen& chosen : choices_of(op->contract)) {
            made->push_back(typed_op(*op, dtype, chosen));
            made->back().ladder = ladder;
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
