#pragma once

// NVTX for C++: names for a profiler's time line. There is no profiler here, so all of it does
// nothing; what programs write must compile.

#include <nvtx3/nvToolsExt.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace nvtx3 {
inline namespace v1 {

class domain {
 public:
  struct global {};
  domain() = default;
  template <class D = global>
  static const domain& get() {
    static const domain one;
    return one;
  }
};

class rgb {
 public:
  using component_type = std::uint8_t;
  constexpr rgb(component_type r, component_type g, component_type b) noexcept
      : red(r), green(g), blue(b) {}
  component_type red, green, blue;
};
class argb {
 public:
  using component_type = std::uint8_t;
  constexpr argb(component_type a, component_type r, component_type g, component_type b) noexcept
      : alpha(a), red(r), green(g), blue(b) {}
  component_type alpha, red, green, blue;
};
class color {
 public:
  using value_type = std::uint32_t;
  constexpr explicit color(value_type hex) noexcept : value_(hex) {}
  constexpr color(argb c) noexcept
      : value_(value_type{c.alpha} << 24 | value_type{c.red} << 16 | value_type{c.green} << 8 |
               c.blue) {}
  constexpr color(rgb c) noexcept : color(argb(255, c.red, c.green, c.blue)) {}
  constexpr value_type get_value() const noexcept { return value_; }

 private:
  value_type value_;
};

class category {
 public:
  using id_type = std::uint32_t;
  constexpr explicit category(id_type id) noexcept : id_(id) {}
  constexpr id_type get_id() const noexcept { return id_; }

 private:
  id_type id_;
};
template <class D = domain::global>
class named_category_in : public category {
 public:
  named_category_in(id_type id, const char*) noexcept : category(id) {}
  named_category_in(id_type id, const wchar_t*) noexcept : category(id) {}
  // The one category of a type with its own `id` and `name`.
  template <class C>
  static const named_category_in& get() {
    static const named_category_in one(C::id, C::name);
    return one;
  }
};
using named_category = named_category_in<domain::global>;

template <class D = domain::global>
class registered_string_in {
 public:
  explicit registered_string_in(const char*) noexcept {}
  explicit registered_string_in(const wchar_t*) noexcept {}
  explicit registered_string_in(const std::string&) noexcept {}
  explicit registered_string_in(const std::wstring&) noexcept {}
  template <class M>
  static const registered_string_in& get() {
    static const registered_string_in one(M::message);
    return one;
  }
};
using registered_string = registered_string_in<domain::global>;

class message {
 public:
  constexpr message(const char*) noexcept {}
  constexpr message(const wchar_t*) noexcept {}
  message(const std::string&) noexcept {}
  message(const std::wstring&) noexcept {}
  template <class D>
  constexpr message(const registered_string_in<D>&) noexcept {}
};

class payload {
 public:
  constexpr explicit payload(std::int64_t) noexcept {}
  constexpr explicit payload(std::int32_t) noexcept {}
  constexpr explicit payload(std::uint64_t) noexcept {}
  constexpr explicit payload(std::uint32_t) noexcept {}
  constexpr explicit payload(float) noexcept {}
  constexpr explicit payload(double) noexcept {}
};

// Made of a message, a color, a category and a payload, in any order, each or none.
class event_attributes {
 public:
  event_attributes() = default;
  template <class First, class... Rest>
  explicit event_attributes(const First&, const Rest&...) noexcept {}
};

template <class D = domain::global>
class scoped_range_in {
 public:
  template <class... A>
  explicit scoped_range_in(const A&...) noexcept {}
  scoped_range_in(const scoped_range_in&) = delete;
  scoped_range_in& operator=(const scoped_range_in&) = delete;
  void* operator new(std::size_t) = delete;
  ~scoped_range_in() {}
};
using scoped_range = scoped_range_in<domain::global>;

struct range_handle {
  using value_type = std::uint64_t;
  constexpr range_handle() noexcept = default;
  constexpr explicit range_handle(value_type value) noexcept : value_(value) {}
  constexpr value_type get_value() const noexcept { return value_; }
  constexpr explicit operator bool() const noexcept { return value_ != 0; }

 private:
  value_type value_ = 0;
};

template <class D = domain::global, class... A>
range_handle start_range_in(const A&...) noexcept {
  return range_handle(1);
}
template <class... A>
range_handle start_range(const A&...) noexcept {
  return range_handle(1);
}
template <class D = domain::global>
void end_range_in(range_handle) noexcept {}
inline void end_range(range_handle) noexcept {}

template <class D = domain::global>
class unique_range_in {
 public:
  template <class... A>
  explicit unique_range_in(const A&...) noexcept {}
  unique_range_in(unique_range_in&&) noexcept {}
  unique_range_in& operator=(unique_range_in&&) noexcept { return *this; }
  ~unique_range_in() {}
};
using unique_range = unique_range_in<domain::global>;

template <class D = domain::global, class... A>
void mark_in(const A&...) noexcept {}
template <class... A>
void mark(const A&...) noexcept {}

}  // namespace v1
}  // namespace nvtx3

#define NVTX3_FUNC_RANGE_IN(D)                           \
  const ::nvtx3::scoped_range_in<D> nvtx3_func_range__ { \
    __func__                                             \
  }
#define NVTX3_FUNC_RANGE_IF_IN(D, C)                     \
  const ::nvtx3::scoped_range_in<D> nvtx3_func_range__ { \
    (C)                                                  \
  }
#define NVTX3_FUNC_RANGE() NVTX3_FUNC_RANGE_IN(::nvtx3::domain::global)
#define NVTX3_FUNC_RANGE_IF(C) NVTX3_FUNC_RANGE_IF_IN(::nvtx3::domain::global, C)
