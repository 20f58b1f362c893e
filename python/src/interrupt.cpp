#include "python/src/interrupt.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>

// Of Python's stable ABI: see call.cpp.
extern "C" {
struct PyObject;
int PyGILState_Ensure();
void PyGILState_Release(int);
PyObject* PyImport_ImportModule(const char*);
PyObject* PyObject_GetAttrString(PyObject*, const char*);
PyObject* PyObject_CallFunction(PyObject*, const char* format, ...);
void PyErr_Clear();
void Py_DecRef(PyObject*);
}

namespace warpath::python {
namespace {

struct SignalModule {
  PyObject* get = nullptr;
  PyObject* pythons_own = nullptr;
};

// With the GIL. Kept as long as the process lives.
const SignalModule& signal_module() {
  static const SignalModule found = [] {
    SignalModule s;
    if (PyObject* const module = PyImport_ImportModule("signal")) {
      s.get = PyObject_GetAttrString(module, "getsignal");
      s.pythons_own = PyObject_GetAttrString(module, "default_int_handler");
      Py_DecRef(module);
    }
    PyErr_Clear();
    return s;
  }();
  return found;
}

bool raises_keyboard_interrupt() {
  const int state = PyGILState_Ensure();
  bool yes = false;
  if (const SignalModule& s = signal_module(); s.get && s.pythons_own) {
    PyObject* const handler = PyObject_CallFunction(s.get, "i", SIGINT);
    yes = handler == s.pythons_own;
    if (handler)
      Py_DecRef(handler);
    else
      PyErr_Clear();
  }
  PyGILState_Release(state);
  return yes;
}

}  // namespace

Interruptible::Interruptible(const Runtime& runtime) {
  if (!runtime.begin_interruptible || !runtime.end_interruptible) return;
  const bool main_thread = syscall(SYS_gettid) == getpid();
  if (main_thread && raises_keyboard_interrupt() && runtime.begin_interruptible())
    end_ = runtime.end_interruptible;
}

}  // namespace warpath::python
