// The extension: opens the host libraries of a folder and makes every op in them a torch op, for CPU
// tensors (the kernels run by simt) and CUDA tensors (on the current stream). Only the stable ABI
// of LibTorch is used, so one file serves many versions of torch.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "core/host/error.h"
#include "python/src/bind.h"
#include "python/src/interrupt.h"

namespace warpath::python {
namespace {

constexpr std::size_t max_ops = 256;

std::vector<TorchOp>& loaded() {
  static std::vector<TorchOp> ops;
  return ops;
}

// Torch's current stream. Only a torch built with CUDA has this function, so it is looked up.
cudaStream_t current_stream(int device) {
  using Function = AOTITorchError (*)(std::int32_t, void**);
  static const auto function = [] {
    void* library = dlopen("libtorch_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
    return library
               ? reinterpret_cast<Function>(dlsym(library, "aoti_torch_get_current_cuda_stream"))
               : nullptr;
  }();
  void* stream = nullptr;
  if (!function || function(device, &stream) != TORCH_SUCCESS)
    throw Error("torch does not tell its current CUDA stream");
  return static_cast<cudaStream_t>(stream);
}

// The runtime is asked once per device: two driver calls cost a third of a launch.
int arch_of(Backend backend, const Ladder& ladder, int device) {
  constexpr int most = 64;
  static std::array<std::array<std::atomic<int>, most>, 2> known{};
  if (device < 0 || device >= most) return ladder.runtime.arch(device);
  std::atomic<int>& arch = known[backend][static_cast<std::size_t>(device)];
  if (arch.load(std::memory_order_relaxed) == 0) arch = ladder.runtime.arch(device);
  return arch;
}

void zero(const Ladder& ladder, void* data, std::int64_t bytes, Backend backend,
          cudaStream_t stream) {
  if (bytes <= 0) return;
  if (backend == simt) {
    std::memset(data, 0, static_cast<std::size_t>(bytes));
  } else if (const char* error = ladder.runtime.zero(data, bytes, stream)) {
    throw Error(std::string("cannot clear scratch memory: ") + error);
  }
}

void launch(const TorchOp& op, const Ladder& ladder, Bound& bound, Backend backend, int device,
            cudaStream_t stream) {
  const int arch = arch_of(backend, ladder, device);
  if (arch == 0) throw Error("warpath::" + op.name + ": its CUDA runtime finds no such device");
  const Pick picked = [&] {
    try {
      return pick(op, ladder, bound, arch);
    } catch (const Error&) {
      if (!bound.put_in_order()) throw;
      return pick(op, ladder, bound, arch);
    }
  }();
  void* const scratch = bound.add_scratch(picked.scratch);
  if (scratch) zero(ladder, scratch, picked.zeroed, backend, stream);
  std::optional<Lent> lent;
  if (backend == simt) lent.emplace(ladder.runtime, scratch, picked.scratch);
  try {
    warpath::call(*op.op, *picked.rung, bound.args(), stream);
  } catch (const std::exception& e) {
    const std::string why = without_place(e.what());
    if (why.starts_with(op.name + ": "))
      throw Error(why);  // a precondition of the op, whichever the rung
    throw Error("warpath::" + op.name + ": rung '" + picked.rung->name + "': " + why);
  }
}

void launch_on_cpu(const TorchOp& op, const Ladder& ladder, Bound& bound) {
  const Interruptible interruptible(ladder.runtime);
  const ChecksPaused paused(ladder.runtime);
  try {
    launch(op, ladder, bound, simt, 0, nullptr);
  } catch (const std::exception& e) {
    const std::string told = ladder.runtime.reports();  // why a launch was refused
    ladder.runtime.trouble();
    throw Error(e.what() + told);
  }
  // A CPU tensor is ready when the op returns.
  if (const std::string error = ladder.runtime.trouble(); !error.empty())
    throw Error("warpath::" + op.name + ": " + error);
  bound.check_integers();
}

void launch_on_gpu(const TorchOp& op, const Ladder& ladder, Bound& bound) {
  const int device = bound.device_index();
  // Usually it is the current device already, and with one device there is nothing to ask.
  static const bool several = ladder.runtime.devices() != 1;
  std::optional<torch::stable::accelerator::DeviceGuard> guard;
  if (several && torch::stable::accelerator::getCurrentDeviceIndex() != device)
    guard.emplace(device);
  launch(op, ladder, bound, cuda, device, current_stream(device));
}

void call(const TorchOp& op, Backend backend, Overload overload, StableIValue* stack) {
  Values values = take(op, overload, stack);
  const Ladder* const ladder = op.ladders[backend]->open();
  if (!ladder)
    throw Error("warpath::" + op.name + ": this installation has no " +
                (backend == cuda ? "CUDA libraries; install again where nvcc is found"
                                 : "libraries for the CPU; move the arguments to a GPU"));
  Bound bound(op, overload, std::move(values));
  if (backend == simt && !bound.empty()) bound.check_indices();
  if (bound.needs_reference() && !bound.empty()) {
    bound.compute_by_reference();
  } else if (!bound.empty()) {
    backend == cuda ? launch_on_gpu(op, *ladder, bound) : launch_on_cpu(op, *ladder, bound);
    bound.write_back();
  }
  bound.give_back_inputs();
  for (std::size_t i = 0; i < bound.outputs().size(); ++i)
    stack[i] = torch::stable::detail::from(bound.outputs()[i].release());
}

// Every error begins with the op's name as Python has it.
void call_or_refuse(std::size_t slot, Backend backend, Overload overload, StableIValue* stack) {
  const TorchOp& op = loaded()[slot];
  try {
    call(op, backend, overload, stack);
  } catch (const std::exception& e) {
    std::string why = without_place(e.what());
    if (why.starts_with("warpath::")) throw Error(why);
    if (why.starts_with(op.name + ": ")) why = why.substr(op.name.size() + 2);
    throw Error("warpath::" + op.name + ": " + why);
  }
}

// A boxed kernel is a plain function without data of its own: one function for each slot.
using BoxedKernel = void (*)(StableIValue*, std::uint64_t, std::uint64_t);

template <std::size_t slot, Backend backend, Overload overload>
void kernel(StableIValue* stack, std::uint64_t, std::uint64_t) {
  call_or_refuse(slot, backend, overload, stack);
}

template <Backend backend, Overload overload, std::size_t... slots>
constexpr std::array<BoxedKernel, sizeof...(slots)> kernels(std::index_sequence<slots...>) {
  return {kernel<slots, backend, overload>...};
}

// For one backend: the kernels that take all arguments, those of "plain", and those of NAME_.
template <Backend backend>
struct Kernels {
  static constexpr auto all = std::make_index_sequence<max_ops>();
  static constexpr auto full = kernels<backend, Overload::named>(all);
  static constexpr auto plain = kernels<backend, Overload::plain>(all);
  static constexpr auto in_place = kernels<backend, Overload::in_place>(all);

  static BoxedKernel of(std::size_t slot, Overload overload) {
    if (overload == Overload::in_place) return in_place[slot];
    return (overload == Overload::plain ? plain : full)[slot];
  }
};

void register_ops() {
  using torch::stable::detail::StableLibrary;
  using Kind = StableLibrary::Kind;
  // Never destroyed: that would unregister the ops.
  auto* defined = new StableLibrary(Kind::FRAGMENT, "warpath", nullptr, __FILE__, __LINE__);
  auto* cpu = new StableLibrary(Kind::IMPL, "warpath", "CPU", __FILE__, __LINE__);
  auto* gpu = new StableLibrary(Kind::IMPL, "warpath", "CUDA", __FILE__, __LINE__);
  for (std::size_t i = 0; i < loaded().size(); ++i) {
    const TorchOp& op = loaded()[i];
    for (const Overload overload :
         {Overload::itself, Overload::plain, Overload::named, Overload::in_place}) {
      if (overload != Overload::itself && (!functional(op) || takes_lists(op))) continue;
      if (overload == Overload::in_place && !has_in_place(op)) continue;
      const std::string name = op.name + overload_names[static_cast<int>(overload)];
      defined->def(schema(op, overload).c_str());
      cpu->impl(name.c_str(), Kernels<simt>::of(i, overload));
      gpu->impl(name.c_str(), Kernels<cuda>::of(i, overload));
    }
  }
}

std::string load(const Installation& at) {
  std::vector<std::string> failures;
  loaded() = find_ops(at, failures);
  if (loaded().size() > max_ops)
    throw Error("more than " + std::to_string(max_ops) + " ops; raise max_ops in " __FILE__);
  register_ops();
  return describe(loaded(), failures);
}

}  // namespace
}  // namespace warpath::python

#define WARPATH_EXPORT extern "C" __attribute__((visibility("default")))

// Loads the host libraries of an installation, once; what it found as JSON, or a text that begins with
// "error: ". The text lives as long as the process.
WARPATH_EXPORT const char* warpath_load(const char* package, const char* lib, const char* ops) {
  static std::once_flag once;
  static std::string text;
  std::call_once(once, [&] {
    try {
      text = warpath::python::load({package, lib, ops});
    } catch (const std::exception& e) {
      text = std::string("error: ") + e.what();
    }
  });
  return text.c_str();
}

// Seconds that a kernel may run on the CPU, unless the user says otherwise.
WARPATH_EXPORT double warpath_default_timeout() {
  return warpath::python::default_timeout;
}

// The rungs of an op for "simt" or "cuda" as JSON, of none where there is no such library; or a text that begins with
// "error: ". Opens the library. The text lives until this thread's next call.
WARPATH_EXPORT const char* warpath_rungs(const char* op, const char* backend) {
  using namespace warpath::python;
  thread_local std::string text;
  text = "[]";
  try {
    for (const TorchOp& one : loaded())
      for (const Backend b : {simt, cuda})
        if (one.name == op && std::strcmp(backend, backend_names[b]) == 0)
          if (const Ladder* const ladder = one.ladders[b]->open()) text = describe(*ladder);
  } catch (const std::exception& e) {
    text = std::string("error: ") + e.what();
  }
  return text.c_str();
}
