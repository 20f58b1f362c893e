#include "python/src/deterministic.h"

#include <atomic>
#include <cstddef>

#include "core/host/error.h"

// Of Python's stable ABI: see call.cpp.
extern "C" {
struct PyObject;
int PyGILState_Ensure();
void PyGILState_Release(int);
PyObject* PyImport_ImportModule(const char*);
PyObject* PyObject_GetAttrString(PyObject*, const char*);
PyObject* PyObject_CallNoArgs(PyObject*);
int PyObject_IsTrue(PyObject*);
void PyErr_Clear();
int PyErr_WarnEx(PyObject* category, const char* text, std::ptrdiff_t stack_level);
void Py_DecRef(PyObject*);
extern PyObject* PyExc_UserWarning;
}

namespace warpath::python {
namespace {

class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

 private:
  int state_;
};

// A function of torch without arguments. Found once and kept; no lock of ours is held meanwhile, as Python may hand the GIL
// to another thread that comes here.
struct Question {
  const char* name;
  std::atomic<PyObject*> function = nullptr;

  bool answers_yes() {
    PyObject* ask = function.load();
    if (!ask) {
      PyObject* const torch = PyImport_ImportModule("torch");
      ask = torch ? PyObject_GetAttrString(torch, name) : nullptr;
      if (torch) Py_DecRef(torch);
      function = ask;
    }
    PyObject* const answer = ask ? PyObject_CallNoArgs(ask) : nullptr;
    const bool yes = answer && PyObject_IsTrue(answer) == 1;
    const bool failed = !answer;
    if (answer) Py_DecRef(answer);
    if (failed) {
      PyErr_Clear();
      throw Error(std::string("torch.") + name + " does not answer");
    }
    return yes;
  }
};

Question enabled{"are_deterministic_algorithms_enabled"};
Question only_warns{"is_deterministic_algorithms_warn_only_enabled"};

}  // namespace

SameBits same_bits_wanted() {
  const Gil gil;
  if (!enabled.answers_yes()) return SameBits::as_it_comes;
  return only_warns.answers_yes() ? SameBits::warn : SameBits::must;
}

void warn(const std::string& text) {
  const Gil gil;
  if (PyErr_WarnEx(PyExc_UserWarning, text.c_str(), 1) == 0) return;
  PyErr_Clear();
  throw Error(text);
}

}  // namespace warpath::python
