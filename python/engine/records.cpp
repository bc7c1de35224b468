#include "python/engine/records.h"

#include <pybind11/numpy.h>

#include <algorithm>
#include <string>

#include "core/base/text.h"
#include "core/recompute/strategy.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/slot_facts.h"

namespace stashscope::python {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

py::str text(std::string_view bytes) { return {to_valid_utf8(bytes)}; }

py::tuple texts(const std::vector<std::string>& all) {
  py::tuple result(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) result[i] = text(all[i]);
  return result;
}

py::dict plan_record(const Study& study, const PlanRow& row) {
  return py::dict(
      "config"_a = text(row.config), "strategy"_a = text(strategy_of(row.type).name),
      "freq"_a = row.frequency, "saving_bytes"_a = row.saving_bytes,
      "saving_symbolic"_a = text(row.saving_symbolic), "bytes_at_peak"_a = row.bytes_at_peak,
      "extra_flops"_a = row.cost.flops, "transfer_bytes"_a = row.cost.transfer_bytes,
      "extra_seconds"_a = row.cost.seconds, "modules"_a = texts(layers_of(study.graph(), row)),
      "on"_a = row.on, "applied"_a = row.applied);
}

}  // namespace

py::object array_of(const std::vector<std::int64_t>& numbers) {
  py::array_t<std::int64_t> array(static_cast<py::ssize_t>(numbers.size()));
  std::ranges::copy(numbers, array.mutable_data());
  array.attr("flags").attr("writeable") = false;
  return array;
}

py::list plan_records(const Study& study, const std::vector<PlanRow>& rows) {
  py::list records;
  for (const PlanRow& row : rows) records.append(plan_record(study, row));
  return records;
}

py::list slot_records(const Study& study) {
  py::list records;
  for (const SlotFacts& each : slot_facts(study, *study.current)) {
    records.append(py::dict("name"_a = text(each.node), "operator"_a = text(each.op_type),
                            "module"_a = text(each.module), "phase"_a = text(name_of(each.phase)),
                            "file"_a = text(each.file), "line"_a = each.line));
  }
  return records;
}

py::dict band_arrays(const Study& study) {
  py::dict arrays;
  for (std::size_t band = 0; band < band_count; ++band) {
    std::vector<std::int64_t> bytes;
    for (const BandBytes& each : study.current->bands) bytes.push_back(each[band]);
    arrays[text(name_of(static_cast<Band>(band)))] = array_of(bytes);
  }
  return arrays;
}

py::dict sizes(const Study& study) {
  py::dict values;
  for (const Dimension& each : study.sizes->dims.dimensions) values[text(each.name)] = each.value;
  return values;
}

}  // namespace stashscope::python
