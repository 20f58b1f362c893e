// The little of ONNX Runtime's C API that a custom op needs, declared by us: its Python package ships no
// headers. The API is a table of functions whose places never change; OrtApi's first version, which is all
// that is used, has 102 of them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace warpath::ort {

struct Status;
struct Value;
struct ShapeInfo;
struct KernelInfo;
struct KernelContext;
struct SessionOptions;
struct Domain;

// ONNXTensorElementDataType
enum class Element : int {
  f32 = 1,
  u8 = 2,
  i8 = 3,
  u16 = 4,
  i16 = 5,
  i32 = 6,
  i64 = 7,
  boolean = 9,
  f16 = 10,
  f64 = 11,
  u32 = 12,
  u64 = 13,
  bf16 = 16
};

struct ApiTable {
  void* functions[102];
};

struct ApiBase {
  const ApiTable* (*get_api)(std::uint32_t version);
  const char* (*version_text)();
};

// A function of the table by its place and type.
template <int place, class... A>
struct Call {
  Status* operator()(const ApiTable* api, A... a) const {
    return reinterpret_cast<Status* (*)(A...)>(api->functions[place])(a...);
  }
};

inline constexpr Call<0, int, const char*> create_status;
inline constexpr Call<26, const char*, Domain**> create_domain;
inline constexpr Call<27, Domain*, const struct CustomOp*> add_op;
inline constexpr Call<28, SessionOptions*, Domain*> add_domain;
inline constexpr Call<51, Value*, void**> tensor_data;
inline constexpr Call<60, const ShapeInfo*, Element*> element_type;
inline constexpr Call<61, const ShapeInfo*, std::size_t*> axes_count;
inline constexpr Call<62, const ShapeInfo*, std::int64_t*, std::size_t> axes;
inline constexpr Call<65, const Value*, ShapeInfo**> shape_info;
inline constexpr Call<85, const KernelInfo*, const char*, float*> attribute_float;
inline constexpr Call<86, const KernelInfo*, const char*, std::int64_t*> attribute_int;
inline constexpr Call<87, const KernelInfo*, const char*, char*, std::size_t*> attribute_string;
inline constexpr Call<90, const KernelContext*, std::size_t, const Value**> input;
inline constexpr Call<91, KernelContext*, std::size_t, const std::int64_t*, std::size_t, Value**>
    output;

inline void release_status(const ApiTable* api, Status* s) {
  reinterpret_cast<void (*)(Status*)>(api->functions[93])(s);
}
inline void release_shape_info(const ApiTable* api, ShapeInfo* s) {
  reinterpret_cast<void (*)(ShapeInfo*)>(api->functions[99])(s);
}
inline const char* message(const ApiTable* api, Status* s) {
  return reinterpret_cast<const char* (*)(Status*)>(api->functions[2])(s);
}

// OrtCustomOp as of version 8 of the API, which the runtime still takes.
struct CustomOp {
  std::uint32_t version;
  void* (*create_kernel)(const CustomOp*, const ApiTable*, const KernelInfo*);
  const char* (*name)(const CustomOp*);
  const char* (*provider)(const CustomOp*);
  Element (*input_type)(const CustomOp*, std::size_t);
  std::size_t (*input_count)(const CustomOp*);
  Element (*output_type)(const CustomOp*, std::size_t);
  std::size_t (*output_count)(const CustomOp*);
  void (*compute)(void* kernel, KernelContext*);
  void (*destroy)(void* kernel);
  // Of later versions; the runtime asks some of them whatever the version.
  int (*input_kind)(const CustomOp*, std::size_t);    // 0: required, 1: optional
  int (*output_kind)(const CustomOp*, std::size_t);   // 0: required
  int (*input_memory)(const CustomOp*, std::size_t);  // 0: the provider's
  int (*variadic[4])(const CustomOp*);                // least counts and sameness of types
  void* (*create_kernel_2)();
  void* (*compute_2)();
  void* (*infer_shape)();
  int (*first_version)(const CustomOp*);
  int (*last_version)(const CustomOp*);
  std::size_t (*may_be_in_place)(int**, int**);
  void (*release_in_place)(int*, int*);
  std::size_t (*aliases)(int**, int**);
  void (*release_aliases)(int*, int*);
  void* more[16];
};

}  // namespace warpath::ort
