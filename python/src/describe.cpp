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

// The default of a scalar as both a schema and (except for booleans and reals) JSON write it.
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
  if (!d.and_name.empty()) text.append("+").append(d.and_name);
  if (d.plus) text.append("+").append(std::to_string(d.plus));
  return text + (d.leading ? "..." : "");
}

std::string tensor_fields(const ArgSpec& a) {
  return std::string(R"("type": ")") + (a.list ? "Tensor[]" : "Tensor") + R"(", "dims": [)" +
         joined(a.dims, [](const Dim& d) { return json_quoted(dim_text(d)); }) +
         R"(], "dtypes": [)" +
         joined(a.dtypes, [](DType d) { return json_quoted(std::string(name(d))); }) +
         R"(], "same_as": )" + json_quoted(a.same_as) + R"(, "optional": )" +
         (a.optional ? "true" : "false") + R"(, "mutated": )" +
         (a.role == Role::inout ? "true" : "false") + R"(, "in_place": )" +
         json_quoted(a.in_place) + R"(, "index": )" + (a.index ? "true" : "false");
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
         (a->has_data() ? tensor_fields(*a) : scalar_fields(*a)) + "}";
}

std::string rung_json(const Rung* r) {
  return R"({"name": )" + json_quoted(r->name) + R"(, "min_arch": )" + std::to_string(r->min_arch) +
         R"(, "deterministic": )" + (r->deterministic ? "true" : "false") + R"(, "note": )" +
         json_quoted(r->note) + "}";
}

std::string op_json(const TorchOp& op) {
  return R"({"name": )" + json_quoted(op.name) + R"(, "summary": )" +
         json_quoted(op.contract->summary()) + R"(, "family": )" +
         json_quoted(op.path.parent_path().filename().string()) + R"(, "folder": )" +
         json_quoted(op.folder) + R"(, "path": )" + json_quoted(op.path.string()) +
         R"(, "library": )" + json_quoted(op.library.string()) + R"(, "schema": )" +
         json_quoted(schema(op)) + R"(, "parameters": [)" + joined(op.parameters, arg_json) +
         R"(], "outputs": [)" + joined(op.outputs, arg_json) + "]}";
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
      // None costs nothing to pass; a string is copied three times on its way.
      text += is_dtype_choice(*a)
                  ? "str? " + a->name + "=None"
                  : std::string(schema_type(a->scalar)) + " " + a->name + "=" + fallback(*a);
    } else {
      text += "Tensor";
      if (overwrites(op, overload, *a)) text += std::string("(") + alias++ + "!)";
      if (a->list) text += "[]";
      text += (a->optional ? "? " : " ") + a->name + (a->optional ? "=None" : "");
    }
    text += ", ";
  }
  if (plain)
    text.resize(text.size() - 2);
  else
    text += std::string(named ? "" : "*, ") + "str? rung=None";
  std::vector<const ArgSpec*> made;
  for (const ArgSpec* a : op.outputs)
    if (overload != Overload::in_place || a->in_place.empty()) made.push_back(a);
  // What was overwritten is not returned: torch.compile takes no op whose results are its arguments.
  return text + ") -> (" + joined(made, [](const ArgSpec* a) { return "Tensor " + a->name; }) + ")";
}

std::string describe(const std::vector<TorchOp>& ops, const std::vector<std::string>& failures) {
  return R"({"ops": [)" + joined(ops, op_json) + R"(], "failures": [)" +
         joined(failures, json_quoted) + "]}";
}

std::string describe(const Ladder& ladder) {
  return std::string("[").append(joined(ladder.rungs, rung_json)).append("]");
}

}  // namespace warpath::python
