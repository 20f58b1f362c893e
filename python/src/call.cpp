// What `torch.ops.warpath.NAME(...)` runs first. It chooses the cheapest overload, in C: is the call intercepted or
// transformed, does it need a gradient?
//
// The few functions of Python it uses are declared here, not included: all are in Python's stable ABI (3.10), so one
// binary serves every Python and is built without Python's headers. The interpreter that opens the extension has them.
#include <torch/csrc/inductor/aoti_torch/c/shim.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "python/src/bind.h"

extern "C" {
struct PyObject;
using PyFunction = PyObject* (*)(PyObject* self, PyObject* args, PyObject* kwargs);
struct PyMethodDef {
  const char* name;
  PyFunction function;
  int flags;
  const char* doc;
};
PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject* self, PyObject* module);
PyObject* PyObject_Call(PyObject* callable, PyObject* args, PyObject* kwargs);
PyObject* PyObject_CallNoArgs(PyObject* callable);
std::ptrdiff_t PyTuple_Size(PyObject*);
PyObject* PyTuple_GetItem(PyObject* tuple, std::ptrdiff_t);  // borrowed
PyObject* PyDict_Values(PyObject*);
PyObject* PyList_AsTuple(PyObject*);
std::ptrdiff_t PyDict_Size(PyObject*);
int PyObject_IsTrue(PyObject*);
void Py_DecRef(PyObject*);
void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback);
void PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback);
int PyErr_CheckSignals();
int PyErr_ExceptionMatches(PyObject* type);
void PyErr_SetString(PyObject* type, const char* text);
PyObject* PyObject_Str(PyObject*);
const char* PyUnicode_AsUTF8AndSize(PyObject*, std::ptrdiff_t* size);
extern PyObject* PyExc_KeyboardInterrupt;
}

namespace {

// Places in `self`: functions to choose from, then what to choose by.
enum Place {
  plain,
  named,
  differentiable,
  watched,
  transformed,
  has_torch_function,
  are_transforms_active,
  is_tracing,
  any_requires_grad,
  must_be_given
};

// 1, 0, or -1 where Python raised.
int answers_yes(PyObject* answer) {
  if (!answer) return -1;
  const int yes = PyObject_IsTrue(answer);
  Py_DecRef(answer);
  return yes;
}

int says_yes(PyObject* question, PyObject* args) {
  return answers_yes(PyObject_Call(question, args, nullptr));
}

// The same for positional and named arguments.
int of_any(PyObject* question, PyObject* args, PyObject* kwargs) {
  const int yes = says_yes(question, args);
  if (yes != 0 || !kwargs || PyDict_Size(kwargs) == 0) return yes;
  PyObject* const list = PyDict_Values(kwargs);
  PyObject* const values = list ? PyList_AsTuple(list) : nullptr;
  const int named = values ? says_yes(question, values) : -1;
  if (list) Py_DecRef(list);
  if (values) Py_DecRef(values);
  return named;
}

// Negative where Python raised.
int choose(PyObject* self, PyObject* args, PyObject* kwargs) {
  const int functions = of_any(PyTuple_GetItem(self, has_torch_function), args, kwargs);
  if (functions != 0) return functions < 0 ? -1 : watched;
  const int transforms =
      answers_yes(PyObject_CallNoArgs(PyTuple_GetItem(self, are_transforms_active)));
  if (transforms != 0) return transforms < 0 ? -1 : transformed;
  // A trace is used with other tensors later, some of which may require gradients.
  const int tracing = answers_yes(PyObject_CallNoArgs(PyTuple_GetItem(self, is_tracing)));
  if (tracing != 0) return tracing < 0 ? -1 : differentiable;
  if (aoti_torch_grad_mode_is_enabled()) {
    const int gradients = of_any(PyTuple_GetItem(self, any_requires_grad), args, kwargs);
    if (gradients != 0) return gradients < 0 ? -1 : differentiable;
  }
  if (kwargs && PyDict_Size(kwargs) != 0) return named;
  return PyTuple_Size(args) == PyTuple_Size(PyTuple_GetItem(self, must_be_given)) ? plain : named;
}

// A kernel that Ctrl-C has ended is an error of the op: what Python then raises is KeyboardInterrupt, with the line that
// the kernel was in.
void prefer_interrupt() {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  if (PyErr_CheckSignals() == 0) return PyErr_Restore(type, value, traceback);
  PyObject* const text = value ? PyObject_Str(value) : nullptr;
  const char* const told = text ? PyUnicode_AsUTF8AndSize(text, nullptr) : nullptr;
  const char* const report = told ? std::strstr(told, "kernel '") : nullptr;
  if (report && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt))
    PyErr_SetString(PyExc_KeyboardInterrupt, report);
  for (PyObject* const o : {type, value, traceback, text})
    if (o) Py_DecRef(o);
}

PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) {
  const int way = choose(self, args, kwargs);
  const warpath::python::GivenBackLater later;
  if (way < 0) return nullptr;
  PyObject* const result = PyObject_Call(PyTuple_GetItem(self, way), args, kwargs);
  if (!result) prefer_interrupt();
  return result;
}

}  // namespace

// A function that asks and calls; `self` is a tuple in the order above. Call it with the GIL held.
extern "C" __attribute__((visibility("default"))) PyObject* warpath_short_way(PyObject* self) {
  constexpr int flags =
      0x1 | 0x2;  // METH_VARARGS | METH_KEYWORDS: the tuple it gets is handed on as it is
  static PyMethodDef method{"warpath_op", call, flags, nullptr};
  return PyCFunction_NewEx(&method, self, nullptr);
}
