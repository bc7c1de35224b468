#pragma once

#include <pybind11/pybind11.h>

namespace stashscope::python {

/// Turns each Error of the engine into a `stashscope.Error` with its three parts. Errors of an
/// unexpected kind stay what pybind11 makes of them.
void translate_errors(pybind11::module_& module);

}  // namespace stashscope::python
