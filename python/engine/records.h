#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <vector>

#include "core/study/step/study.h"

/// Results of the engine as Python values: arrays of numpy, and lists of dictionaries. Facts of the
/// JSON report have the keys of the report.
namespace stashscope::python {

/// An array of int64 that cannot be written to.
pybind11::object array_of(const std::vector<std::int64_t>& numbers);

/// Rows of a plan table.
pybind11::list plan_records(const Study& study, const std::vector<PlanRow>& rows);

/// Slots of the current step: `name`, `operator`, `module`, `phase`, `file`, `line`.
pybind11::list slot_records(const Study& study);

/// Bytes of each band by slot, of the current step.
pybind11::dict band_arrays(const Study& study);

/// Sizes by the names of the dimensions.
pybind11::dict sizes(const Study& study);

}  // namespace stashscope::python
