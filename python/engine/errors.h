#pragma once

#include <pybind11/pybind11.h>

namespace stashscope::python {

/// Turns each Error of the engine into a `stashscope.Error` with its three parts. pybind11
/// translates all other exceptions.
void translate_errors(pybind11::module_& module);

}  // namespace stashscope::python
