// The extension: opens the op libraries of a folder and makes every op in them a torch op, for CPU
// tensors (the kernels run by simt) and CUDA tensors (on the current stream). Only the stable ABI
// of LibTorch is used, so one file serves many versions of torch.
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <optional>

#include "core/error.h"
#include "python/src/bind.h"

namespace warpath::python {
namespace {

constexpr std::size_t max_ops = 256;

std::vector<TorchOp>& loaded() {
  static std::vector<TorchOp> ops;
  return ops;
}

// Torch's current stream. Only a torch built with CUDA has this function, so it is looked for.
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

// Asked of the runtime once a device: two calls of the driver are a third of what a launch costs.
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
  const Pick picked = pick(op, ladder, bound, arch);
  if (void* const scratch = bound.add_scratch(picked.scratch))
    zero(ladder, scratch, picked.zeroed, backend, stream);
  try {
    picked.rung->launch(bound.args(), stream);
  } catch (const std::exception& e) {
    throw Error("warpath::" + op.name + ": rung '" + picked.rung->name + "': " + e.what());
  }
}

class ChecksPaused {
 public:
  explicit ChecksPaused(const Runtime& runtime)
      : resume_(runtime.pause_checks && runtime.pause_checks() ? runtime.resume_checks : nullptr) {}
  ~ChecksPaused() {
    if (resume_) resume_();
  }
  ChecksPaused(const ChecksPaused&) = delete;
  ChecksPaused& operator=(const ChecksPaused&) = delete;

 private:
  void (*resume_)();
};

void launch_on_cpu(const TorchOp& op, const Ladder& ladder, Bound& bound) {
  const ChecksPaused paused(ladder.runtime);
  launch(op, ladder, bound, simt, 0, nullptr);
  // A CPU tensor is ready when the op returns.
  if (const char* error = ladder.runtime.finish())
    throw Error("warpath::" + op.name + ": " + error);
}

void launch_on_gpu(const TorchOp& op, const Ladder& ladder, Bound& bound) {
  const int device = bound.device_index();
  // Mostly it is the current one already, and where there is one alone nobody need be asked.
  static const bool several = ladder.runtime.devices() != 1;
  std::optional<torch::stable::accelerator::DeviceGuard> guard;
  if (several && torch::stable::accelerator::getCurrentDeviceIndex() != device)
    guard.emplace(device);
  launch(op, ladder, bound, cuda, device, current_stream(device));
}

void call(std::size_t slot, Backend backend, Overload overload, StableIValue* stack) {
  const TorchOp& op = loaded()[slot];
  Values values = take(op, overload, stack);
  const Ladder& ladder = op.ladders[backend];
  if (!ladder.op)
    throw Error("warpath::" + op.name + ": this installation has no " +
                (backend == cuda ? "CUDA libraries; install again where nvcc is found"
                                 : "libraries for the CPU; move the arguments to a GPU"));
  Bound bound(op, ladder, std::move(values));
  if (!bound.empty()) {
    backend == cuda ? launch_on_gpu(op, ladder, bound) : launch_on_cpu(op, ladder, bound);
    bound.write_back();
  }
  bound.give_back_inputs();
  for (std::size_t i = 0; i < bound.outputs().size(); ++i)
    stack[i] = torch::stable::detail::from(bound.outputs()[i].release());
}

// A boxed kernel is a plain function without data of its own: one function for each slot.
using BoxedKernel = void (*)(StableIValue*, std::uint64_t, std::uint64_t);

template <std::size_t slot, Backend backend, Overload overload>
void kernel(StableIValue* stack, std::uint64_t, std::uint64_t) {
  call(slot, backend, overload, stack);
}

template <Backend backend, Overload overload, std::size_t... slots>
constexpr std::array<BoxedKernel, sizeof...(slots)> kernels(std::index_sequence<slots...>) {
  return {kernel<slots, backend, overload>...};
}

// Of one backend: those for all arguments, and those of "plain".
template <Backend backend>
struct Kernels {
  static constexpr auto all = std::make_index_sequence<max_ops>();
  static constexpr auto full = kernels<backend, Overload::named>(all);
  static constexpr auto plain = kernels<backend, Overload::plain>(all);

  static BoxedKernel of(std::size_t slot, Overload overload) {
    return (overload == Overload::plain ? plain : full)[slot];
  }
};

void register_ops() {
  using torch::stable::detail::StableLibrary;
  using Kind = StableLibrary::Kind;
  // Never destroyed: that would take the ops away again.
  auto* defined = new StableLibrary(Kind::FRAGMENT, "warpath", nullptr, __FILE__, __LINE__);
  auto* cpu = new StableLibrary(Kind::IMPL, "warpath", "CPU", __FILE__, __LINE__);
  auto* gpu = new StableLibrary(Kind::IMPL, "warpath", "CUDA", __FILE__, __LINE__);
  for (std::size_t i = 0; i < loaded().size(); ++i) {
    const TorchOp& op = loaded()[i];
    for (const Overload overload : {Overload::itself, Overload::plain, Overload::named}) {
      if (overload != Overload::itself && !functional(op)) continue;
      const std::string name = op.name + overload_names[static_cast<int>(overload)];
      defined->def(schema(op, overload).c_str());
      cpu->impl(name.c_str(), Kernels<simt>::of(i, overload));
      gpu->impl(name.c_str(), Kernels<cuda>::of(i, overload));
    }
  }
}

std::string load(const char* package, const char* folder) {
  std::vector<std::string> problems;
  loaded() = find_ops(package, folder, problems);
  if (loaded().size() > max_ops)
    throw Error("more than " + std::to_string(max_ops) + " ops; raise max_ops in " __FILE__);
  register_ops();
  return describe(loaded(), problems);
}

}  // namespace
}  // namespace warpath::python

// Loads the op libraries of a folder, once; what it found as JSON, or a text that begins with
// "error: ". The text lives as long as the process.
extern "C" __attribute__((visibility("default"))) const char* warpath_load(const char* package,
                                                                           const char* folder) {
  static std::once_flag once;
  static std::string text;
  std::call_once(once, [&] {
    try {
      text = warpath::python::load(package, folder);
    } catch (const std::exception& e) {
      text = std::string("error: ") + e.what();
    }
  });
  return text.c_str();
}
