#include "python/engine/errors.h"

#include <exception>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope::python {

namespace py = pybind11;

namespace {

/// Texts of an error may quote a file's bytes, which Python's strings cannot hold.
void raise(const Error& error) {
  const py::object errors = py::module_::import("stashscope.errors");
  const py::object made =
      errors.attr("of_engine")(to_valid_utf8(error.reason()), to_valid_utf8(error.where()),
                               to_valid_utf8(error.hint()), to_valid_utf8(error.what()));
  PyErr_SetObject(errors.attr("Error").ptr(), made.ptr());
}

}  // namespace

void translate_errors(py::module_&) {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      raise(error);
    }
  });
}

}  // namespace stashscope::python
