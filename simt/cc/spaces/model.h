#pragma once

// What the user's files declare: functions with their execution spaces, variables, classes, and the
// scopes in which they are found by name. What the reader of declarations does not understand is
// entered as unknown, and nothing is said about it.

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "translate/source.h"

namespace simt::cc::spaces {

// Execution spaces, as bits. A kernel is neither of the two.
enum Space : unsigned { space_host = 1, space_device = 2, space_both = 3, space_kernel = 4 };

struct Scope;
struct Class;

struct Parameter {
  Index begin, end;  // of its type
  std::string_view name;
  bool has_default = false;
};

struct Function {
  std::string_view name;  // of an operator: its symbol
  Index place = none;     // the token of its name
  unsigned space = space_host;
  bool is_operator = false, is_constructor = false, is_destructor = false;
  bool is_constexpr = false, is_template = false, is_defaulted = false;  // or deleted
  bool only_if_used = false;  // nvcc says nothing about one that nobody uses
  std::vector<Parameter> parameters;
  unsigned least = 0, most = 0;  // how many arguments it takes
  std::string signature;         // its name and the types of its parameters
  Index body = none;             // its '{'
  bool has_initialisers = false;
  Scope* scope = nullptr;  // in which the body looks up names
  Class* owner = nullptr;  // of a member
};

struct Variable {
  std::string_view name;
  Index place = none;
  bool on_device = false, is_constant = false, is_managed = false, is_shared = false;
  bool is_const = false, is_constexpr = false, is_volatile = false;
  bool is_array = false, is_pointer = false, is_reference = false;
  bool is_template = false, is_field = false, is_extern = false;
  Index type_begin = none, type_end = none;
  Index value_begin = none, value_end = none;  // of its initialiser
};

// Everything of one name in one scope.
struct Entry {
  std::vector<Function*> functions;
  Variable* variable = nullptr;
  Class* type = nullptr;
  Scope* space = nullptr;  // a namespace
  bool unknown = false;
};

struct Scope {
  Scope* parent = nullptr;
  Class* owner = nullptr;  // of a class
  std::unordered_map<std::string_view, Entry> entries;
  std::vector<Scope*> used;  // by `using namespace`
};

struct Class {
  std::string_view name;
  Scope scope;
  std::vector<Class*> bases;
  bool has_unknown_base = false;
  bool is_template = false;
  bool is_complete = false;
};

struct Model {
  Scope global;
  std::deque<Function> functions;
  std::deque<Variable> variables;
  std::deque<std::unique_ptr<Class>> classes;
  std::deque<std::unique_ptr<Scope>> namespaces;
  // Of functions outside of classes, and friends: what a call may find by its arguments.
  std::unordered_map<std::string_view, std::vector<Function*>> free_functions;
  bool uses_std = false;     // using namespace std
  bool uses_others = false;  // or another one that is not the user's
};

}  // namespace simt::cc::spaces
