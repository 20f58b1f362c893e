// An op in words: its schema for the dispatcher, and JSON for the Python side, which makes shape
// functions, docstrings and type stubs from it.
#include <cstdio>

#include "python/src/ops.h"
#include "simt/include/simt/json_text.h"

namespace warpath::python {
namespace {

using simt::json_quoted;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

template <class List, class F>
std::string joined(const List& list, F&& text) {
  std::string out;
  for (const auto& item : list) {
    if (!out.empty()) out += ", ";
    out += text(item);
  }
  return out;
}

// The default of a scalar as both a schema and (but for booleans and reals) JSON write it.
std::string fallback(const ArgSpec& a) {
  switch (a.scalar) {
    case ScalarType::boolean:
      return a.fallback != 0 ? "True" : "False";
    case ScalarType::choice:
      return json_quoted(a.choices.at(static_cast<std::size_t>(a.fallback)));
    case ScalarType::integer:
      return std::to_string(static_cast<std::int64_t>(a.fallback));
    case ScalarType::real: {
      const std::string text = number(a.fallback);
      return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
    }
  }
  return {};
}

const char* schema_type(ScalarType t) {
  switch (t) {
    case ScalarType::integer:
      return "int";
    case ScalarType::real:
      return "float";
    case ScalarType::boolean:
      return "bool";
    case ScalarType::choice:
      return "str";
  }
  return "";
}

std::string dim_text(const Dim& d) {
  if (d.name.empty()) return std::to_string(d.plus);
  std::string text = d.name;
  if (d.plus) text.append("+").append(std::to_string(d.plus));
  return text + (d.leading ? "..." : "");
}

std::string tensor_fields(const ArgSpec& a) {
  return R"("type": "Tensor", "dims": [)" +
         joined(a.dims, [](const Dim& d) { return json_quoted(dim_text(d)); }) +
         R"(], "dtypes": [)" +
         joined(a.dtypes, [](DType d) { return json_quoted(std::string(name(d))); }) +
         R"(], "same_as": )" + json_quoted(a.same_as) + R"(, "optional": )" +
         (a.optional ? "true" : "false") + R"(, "mutated": )" +
         (a.role == Role::inout ? "true" : "false");
}

std::string scalar_fields(const ArgSpec& a) {
  std::string value = fallback(a);
  if (a.scalar == ScalarType::boolean) value = a.fallback != 0 ? "true" : "false";
  return R"("type": )" + json_quoted(schema_type(a.scalar)) + R"(, "default": )" + value +
         R"(, "choices": [)" + joined(a.choices, json_quoted) + R"(], "same_as": )" +
         json_quoted(a.same_as);
}

std::string arg_json(const ArgSpec* a) {
  return R"({"name": )" + json_quoted(a->name) + ", " +
         (a->is_tensor() ? tensor_fields(*a) : scalar_fields(*a)) + "}";
}

std::string rung_json(const Rung* r) {
  return R"({"name": )" + json_quoted(r->name) + R"(, "min_arch": )" + std::to_string(r->min_arch) +
         R"(, "deterministic": )" + (r->deterministic ? "true" : "false") + R"(, "note": )" +
         json_quoted(r->note) + "}";
}

std::string op_json(const TorchOp& op) {
  return R"({"name": )" + json_quoted(op.name) + R"(, "summary": )" +
         json_quoted(op.contract->summary()) + R"(, "folder": )" + json_quoted(op.folder) +
         R"(, "library": )" + json_quoted(op.library) + R"(, "schema": )" +
         json_quoted(schema(op)) + R"(, "parameters": [)" + joined(op.parameters, arg_json) +
         R"(], "outputs": [)" + joined(op.outputs, arg_json) + R"(], "rungs": {"simt": [)" +
         joined(op.ladders[simt].rungs, rung_json) + R"(], "cuda": [)" +
         joined(op.ladders[cuda].rungs, rung_json) + "]}}";
}

}  // namespace

std::string schema(const TorchOp& op, Overload overload) {
  const bool plain = overload == Overload::plain;
  std::string text = op.name + overload_names[static_cast<int>(overload)] + "(";
  bool named = false;
  char alias = 'a';
  for (const ArgSpec* a : op.parameters) {
    if (plain && !must_be_given(*a)) continue;
    if (a->role == Role::scalar && !named) {
      text += "*, ";
      named = true;
    }
    if (a->role == Role::scalar) {
      // What is None costs nothing to hand over; a string is copied three times on the way.
      text += is_dtype_choice(*a)
                  ? "str? " + a->name + "=None"
                  : std::string(schema_type(a->scalar)) + " " + a->name + "=" + fallback(*a);
    } else {
      text += "Tensor";
      if (a->role == Role::inout) text += std::string("(") + alias++ + "!)";
      text += (a->optional ? "? " : " ") + a->name + (a->optional ? "=None" : "");
    }
    text += ", ";
  }
  if (plain)
    text.resize(text.size() - 2);
  else
    text += std::string(named ? "" : "*, ") + "str? rung=None";
  return text + ") -> (" +
         joined(op.outputs, [](const ArgSpec* a) { return "Tensor " + a->name; }) + ")";
}

std::string describe(const std::vector<TorchOp>& ops, const std::vector<std::string>& problems) {
  return R"({"ops": [)" + joined(ops, op_json) + R"(], "problems": [)" +
         joined(problems, json_quoted) + "]}";
}

}  // namespace warpath::python
