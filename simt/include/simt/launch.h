#pragma once

// Kernel launches. The translator turns
//   K<<<grid, block, shared, stream>>>(args)
// into
//   ::simt::launch(::simt::config(grid, block, shared, stream), "K",
//                  [&](auto id) -> decltype(id(K)) { return id(K); },
//                  [&](auto&&... a) { K(a...); })(args)
// The first lambda works when K names one function: then the parameter types are known and the
// arguments convert as in a plain call. Otherwise K is a template (or overloaded) and the types
// come from the arguments. The second lambda calls the kernel, and a compiler can see through it.
// In C++20, where K has template arguments, two lambdas take the place of the first: one whose body
// asks whether id(K) is valid, one that returns it (GCC 13 fails at such a return type).

#include <driver_types.h>
#include <simt/lost_error.h>
#include <simt/self.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace simt {

struct Config {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;
  cudaStream_t stream = nullptr;
  dim3 cluster = dim3(1, 1, 1);
  bool cooperative = false;
};

inline Config config(dim3 grid, dim3 block = 1, std::size_t dynamic_shared = 0,
                     cudaStream_t stream = nullptr) {
  return Config{grid, block, dynamic_shared, stream, dim3(1, 1, 1), false};
}

// What the runtime needs to run a grid: a loop over threads that knows the types, and its data.
struct Kernel {
  const void* identity;  // the function's address, or null when it is not known
  const char* name;
  void (*run)(const void* call, BlockFront& block);
  const void* call;
  std::size_t call_size;
  // How many arguments lie in the call and where, if that can be told: simt/kernel.h.
  unsigned arguments = 0;
  void (*addresses)(void* call, void** out) = nullptr;
};

// Runs the grid to its end. Refusals and faults are recorded as CUDA does; the returned code says
// whether the launch was refused.
cudaError_t run_grid(const Config& config, const Kernel& kernel);

template <class Call>
SIMT_UNWATCHED void run_threads(const void* call, BlockFront& block) {
  run_thread_loop(block, *static_cast<const Call*>(call));
}

template <class Call>
cudaError_t run_kernel(const Config& config, const void* identity, const char* name,
                       const Call& call) {
  return run_grid(config,
                  Kernel{identity, name, &run_threads<Call>, &call, sizeof(Call), 0, nullptr});
}

// Of a closure that runs a thread when it is called with nothing, and says where its arguments lie
// when it is called with an array.
template <class Call>
void addresses_in(void* call, void** out) {
  (*static_cast<const Call*>(call))(out);
}

// Takes the one function that a kernel expression names; has no match for a template or an
// overloaded name.
struct OneFunction {
  template <class R, class... P>
  constexpr auto operator()(R (*function)(P...)) const {
    return function;
  }
};

// How a launch keeps an argument: a reference parameter is an address, anything else a copy.
template <class T>
struct Kept {
  T value;
  SIMT_UNWATCHED const T& get() const { return value; }
  const volatile void* place() const { return std::addressof(value); }
};
template <class T>
struct Kept<T&> {
  T* address;
  Kept(T& object) : address(&object) {}
  SIMT_UNWATCHED T& get() const { return *address; }
  const volatile void* place() const { return &address; }
};

// An argument for a parameter that is a reference, of a kernel whose types follow from its arguments.
template <class T>
struct Reference {
  T* address;
  SIMT_UNWATCHED operator T&() const { return *address; }
};
template <class T>
Reference<T> by_reference(T& object) {
  return {std::addressof(object)};
}

template <class T>
struct ArgumentType {
  using type = T;
  static T&& pass(T& argument) { return static_cast<T&&>(argument); }
};
template <class T>
struct ArgumentType<Reference<T>> {
  using type = T&;
  static T& pass(const Reference<T>& argument) { return argument; }
};

// Runs `kernel` with its own copies of the arguments. They lie next to each other in the closure,
// and the call copies them again into each thread's by-value parameters. The closure refers to
// nothing outside itself, so that a graph may keep its bytes and run it later.
template <class Call, class... A>
void run_with(const Config& config, const void* identity, const char* name, Call kernel,
              Kept<A>... kept) {
  const auto call = [=](void** out = nullptr) SIMT_UNWATCHED {
    if (out == nullptr) {
      kernel(kept.get()...);
    } else {
      ((*out++ = const_cast<void*>(kept.place())), ...);
    }
  };
  using Closure = std::remove_const_t<decltype(call)>;
  const cudaError_t error =
      run_grid(config, Kernel{identity, name, &run_threads<Closure>, &call, sizeof(Closure),
                              sizeof...(A), sizeof...(A) == 0 ? nullptr : &addresses_in<Closure>});
  if (error != cudaSuccess) note_lost_launch(name, error);
}

template <class Call>
struct GenericLauncher {
  Config config;
  const char* name;
  Call call;

  template <class... A>
  void operator()(A... a) const {
    run_with<Call, typename ArgumentType<A>::type...>(config, nullptr, name, call,
                                                      {ArgumentType<A>::pass(a)}...);
  }
};

// Calls the function that the kernel's expression named when it was launched.
template <class Function>
struct PointedCall {
  Function* function;
  template <class... A>
  SIMT_UNWATCHED void operator()(A&&... a) const {
    function(a...);
  }
};

// `may_deduce`: the kernel is named with template arguments, and more may follow from the launch's.
template <bool may_deduce, class Resolve, class Call, class... P>
struct TypedLauncher {
  Config config;
  const char* name;
  Resolve resolve;
  Call call;

  // A call that refers to a variable (`auto kernel = k<float>; kernel<<<...>>>()`) must not outlive
  // it, as one that a graph keeps does: the function itself takes its place.
  void operator()(P... p) const {
    if constexpr (std::is_empty_v<Call>) {
      run_with<Call, P...>(config, identity(), name, call, {std::forward<P>(p)}...);
    } else {
      const auto function = resolve(OneFunction{});
      using Pointed = PointedCall<std::remove_pointer_t<std::remove_const_t<decltype(function)>>>;
      run_with<Pointed, P...>(config, reinterpret_cast<const void*>(function), name,
                              Pointed{function}, {std::forward<P>(p)}...);
    }
  }

  // Fewer arguments than parameters: the kernel has default arguments.
  template <class... A, std::enable_if_t<(sizeof...(A) < sizeof...(P)), int> = 0>
  void operator()(A... a) const {
    run_with<Call, typename ArgumentType<A>::type...>(config, identity(), name, call,
                                                      {ArgumentType<A>::pass(a)}...);
  }

  // More of them: the kernel ends with a pack of parameters, which is empty where only its name
  // stands.
  template <class... A, std::enable_if_t<may_deduce && (sizeof...(A) > sizeof...(P)), int> = 0>
  void operator()(A... a) const {
    run_with<Call, typename ArgumentType<A>::type...>(config, nullptr, name, call,
                                                      {ArgumentType<A>::pass(a)}...);
  }

 private:
  // Not before the arguments are known: it would make the kernel with the empty pack.
  const void* identity() const { return reinterpret_cast<const void*>(resolve(OneFunction{})); }
};

template <class Function>
struct FunctionType {};
struct NotOneFunction {};

template <bool may_deduce, class Resolve, class Call, class R, class... P>
TypedLauncher<may_deduce, Resolve, Call, P...> typed_launcher(const Config& config,
                                                              const char* name, Resolve resolve,
                                                              Call call,
                                                              FunctionType<R (*)(P...)>) {
  return {config, name, resolve, call};
}

template <bool may_deduce = false, class Resolve, class Call>
auto launch(const Config& config, const char* name, Resolve resolve, Call call) {
  if constexpr (std::is_invocable_v<Resolve, OneFunction>) {
    return typed_launcher<may_deduce>(config, name, resolve, call,
                                      FunctionType<decltype(resolve(OneFunction{}))>{});
  } else {
    return GenericLauncher<Call>{config, name, call};
  }
}

// The same where `type` says what the name stands for, in C++20: FunctionType or NotOneFunction.
template <bool may_deduce, class Type, class Resolve, class Call>
auto launch(const Config& config, const char* name, Type type, Resolve resolve, Call call) {
  using Function = decltype(type(OneFunction{}));
  if constexpr (std::is_same_v<Function, NotOneFunction>) {
    return GenericLauncher<Call>{config, name, call};
  } else {
    return typed_launcher<may_deduce>(config, name, resolve, call, Function{});
  }
}

}  // namespace simt
