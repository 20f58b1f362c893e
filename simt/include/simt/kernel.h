#pragma once

// Kernels that are launched through a pointer: cudaLaunchKernel and its relatives. A launch with a
// plain `const void*` finds the kernel's types in a table, into which the translator enters every
// kernel that is not a template, and every kernel whose address is cast to `void*`.

#include <simt/kernel_facts.h>
#include <simt/launch.h>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace simt {

// Runs the kernel at `identity` with CUDA's array of pointers to arguments.
using LaunchThunk = cudaError_t (*)(const Config& config, const void* identity, const char* name,
                                    void** args);

void register_kernel(const void* identity, const char* name, LaunchThunk thunk);

void describe_kernel(const void* identity, const KernelFacts& facts);

// The name of a kernel's template in `pretty`, the __PRETTY_FUNCTION__ of a template whose argument `Function` is an
// instance of it.
const char* template_name(const char* pretty);

// Registered name of a kernel, or null.
const char* kernel_name(const void* identity);
bool is_kernel(const void* identity);

cudaError_t launch_registered(const Config& config, const void* identity, void** args);
Config config_of(const cudaLaunchConfig_t& from);

// A kernel with its own copies of the arguments. References are addresses, as in Kept.
template <class... P>
struct BoundKernel {
  void (*function)(P...);
  std::tuple<Kept<P>...> kept;

  void operator()() const {
    std::apply([this](const auto&... k) { function(bare(k)...); }, kept);
  }
  // Where each argument lies in the closure at `call`: what a graph's node answers and changes.
  static void addresses(void* call, void** out) {
    std::apply([&](auto&... k) { ((*out++ = address(k)), ...); },
               static_cast<BoundKernel*>(call)->kept);
  }

 private:
  // A kernel's by-value parameter may be of a type that copies only from a non-const object.
  template <class T>
  static T& bare(const Kept<T>& k) {
    return const_cast<T&>(k.get());
  }
  template <class T>
  static T& bare(const Kept<T&>& k) {
    return k.get();
  }
  template <class T>
  static void* address(Kept<T>& k) {
    return const_cast<std::remove_const_t<T>*>(&k.value);
  }
  template <class T>
  static void* address(Kept<T&>& k) {
    return const_cast<std::remove_const_t<T>**>(&k.address);
  }
};

template <class... P>
Kernel kernel_of(const BoundKernel<P...>& call, const void* identity, const char* name) {
  using Bound = BoundKernel<P...>;
  return {identity, name, &run_threads<Bound>, &call, sizeof call, sizeof...(P), &Bound::addresses};
}

// What lies behind one pointer of CUDA's array of arguments: the value, or a reference's address.
template <class P>
Kept<P> kept_from(void* argument) {
  if constexpr (std::is_reference_v<P>) {
    return Kept<P>(**static_cast<std::remove_reference_t<P>**>(argument));
  } else {
    return Kept<P>{*static_cast<P*>(argument)};
  }
}

template <class... P, std::size_t... I>
cudaError_t launch_with_array(const Config& config, const char* name, void (*function)(P...),
                              void** args, std::index_sequence<I...>) {
  // The arguments are copied once, at the launch, as CUDA does.
  using Bound = BoundKernel<P...>;
  const Bound call{function, {kept_from<P>(args[I])...}};
  return run_grid(config, kernel_of(call, reinterpret_cast<const void*>(function), name));
}

template <class... P>
cudaError_t thunk_for(const Config& config, const void* identity, const char* name, void** args) {
  auto function = reinterpret_cast<void (*)(P...)>(const_cast<void*>(identity));
  return launch_with_array(config, name, function, args, std::index_sequence_for<P...>{});
}

// The kernel's address as a `void*`, known to cudaLaunchKernel from here on.
template <class R, class... P>
void* kernel_handle(R (*function)(P...), const char* name = nullptr) {
  void* identity = reinterpret_cast<void*>(function);
  register_kernel(identity, name, &thunk_for<P...>);
  return identity;
}
// Casts of something that has a kernel's name but is a variable.
inline void* kernel_handle(std::uintptr_t number, const char* = nullptr) {
  return reinterpret_cast<void*>(number);
}
template <class T>
void* kernel_handle(T* pointer, const char* = nullptr) {
  return const_cast<void*>(static_cast<const void*>(pointer));
}

// Named in the body of a kernel's template: each instance is known to cudaLaunchKernel from the
// start.
template <auto Function>
struct SelfRegistered {
  static bool note() {
    kernel_handle(Function, template_name(__PRETTY_FUNCTION__));
    return true;
  }
  static inline const bool noted = note();
};

// Emitted after a kernel's definition. An overloaded name resolves to nothing and is left out.
struct KernelRegistrar {
  template <class Resolve>
  KernelRegistrar(const char* name, Resolve resolve, const KernelFacts& facts) {
    if constexpr (std::is_invocable_v<Resolve, OneFunction>) {
      describe_kernel(kernel_handle(resolve(OneFunction{}), name), facts);
    } else {
      (void)name;
      (void)resolve;
      (void)facts;
    }
  }
};

}  // namespace simt

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** args,
                             size_t dynamic_shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** args,
                                        size_t dynamic_shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** args);

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args,
                             size_t dynamic_shared = 0, cudaStream_t stream = nullptr) {
  const void* handle = simt::kernel_handle(kernel);
  return cudaLaunchKernel(handle, grid, block, args, dynamic_shared, stream);
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** args,
                                        size_t dynamic_shared = 0, cudaStream_t stream = nullptr) {
  const void* handle = simt::kernel_handle(kernel);
  return cudaLaunchCooperativeKernel(handle, grid, block, args, dynamic_shared, stream);
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...), A&&... a) {
  using Bound = simt::BoundKernel<P...>;
  const Bound call{kernel, {simt::Kept<P>{std::forward<A>(a)}...}};
  const void* identity = simt::kernel_handle(kernel);
  return simt::run_grid(simt::config_of(*config),
                        simt::kernel_of(call, identity, simt::kernel_name(identity)));
}
