// The module `stashscope._engine`: studies of the engine for the Python package, which gives them
// their types and documents them (python/stashscope/_engine.pyi).

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/recompute/config.h"
#include "core/study/facts/pytorch_plan.h"
#include "python/engine/engine_study.h"
#include "python/engine/errors.h"
#include "python/engine/records.h"

namespace stashscope::python {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

using ClassOfStudies = py::class_<EngineStudy>;

/// Adds a read-only property that is computed from the study.
template <class Read>
void fact(ClassOfStudies& studies, const char* name, Read read) {
  studies.def_property_readonly(name,
                                [read](const EngineStudy& self) { return read(self.study()); });
}

void add_memory(ClassOfStudies& studies) {
  fact(studies, "peak_bytes", [](const Study& it) { return it.current->timeline.peak_bytes; });
  fact(studies, "peak_slot", [](const Study& it) { return it.current->timeline.peak_slot; });
  fact(studies, "peak_symbolic",
       [](const Study& it) { return to_valid_utf8(peak_symbolic(it, *it.current)); });
  fact(studies, "baseline_peak_bytes",
       [](const Study& it) { return it.baseline->timeline.peak_bytes; });
  studies.def_property_readonly("reserved_bytes", &EngineStudy::reserved_bytes);
  fact(studies, "curve", [](const Study& it) { return array_of(it.current->timeline.live_bytes); });
  fact(studies, "baseline_curve",
       [](const Study& it) { return array_of(it.baseline->timeline.live_bytes); });
  fact(studies, "bands", band_arrays);
  fact(studies, "slots", slot_records);
}

void add_costs(ClassOfStudies& studies) {
  fact(studies, "flops", [](const Study& it) { return it.baseline->flops; });
  fact(studies, "extra_flops", [](const Study& it) { return extra_flops(it); });
  fact(studies, "extra_percent", [](const Study& it) { return extra_percent(it); });
  fact(studies, "seconds", [](const Study& it) { return step_seconds(it, *it.current); });
  fact(studies, "extra_seconds", [](const Study& it) { return extra_seconds(it); });
  fact(studies, "host_bytes", [](const Study& it) { return it.current->host_bytes; });
}

void add_choices(ClassOfStudies& studies) {
  fact(studies, "dims", sizes);
  fact(studies, "config", [](const Study& it) { return to_valid_utf8(to_string(it.config)); });
  fact(studies, "is_captured",
       [](const Study& it) { return it.graph().data().captured != nullptr; });
  fact(studies, "plans", [](const Study& it) { return plan_records(it, it.plan_table->plans); });
  fact(studies, "extensions",
       [](const Study& it) { return plan_records(it, it.plan_table->extensions); });
  fact(studies, "plan", pytorch_plan);
}

void add_edits(ClassOfStudies& studies) {
  studies.def("tick", &EngineStudy::ticked, "config"_a, "on"_a);
  studies.def(
      "budget",
      [](const EngineStudy& self, const std::string& budget, const std::string& grain,
         double seconds, std::int64_t moves, std::uint64_t seed, const std::string& aim,
         bool allows_lossy) {
        return self.planned(
            budget, {grain, {.seconds = seconds, .moves = moves, .seed = seed}, aim, allows_lossy});
      },
      "budget"_a, "grain"_a, "seconds"_a, "moves"_a, "seed"_a, "aim"_a, "allows_lossy"_a);
  studies.def(
      "fit",
      [](const EngineStudy& self, const std::string& dimension, const std::string& memory,
         bool replans, const std::string& grain, double seconds, std::int64_t moves,
         std::uint64_t seed) {
        if (!replans) return self.fit(dimension, memory, {});
        const SearchLimit limit{.seconds = seconds, .moves = moves, .seed = seed};
        return self.fit(dimension, memory, ReplanRequest{find_grain(grain), limit});
      },
      "dimension"_a, "memory"_a, "replans"_a, "grain"_a, "seconds"_a, "moves"_a, "seed"_a);
}

void add_texts(ClassOfStudies& studies) {
  studies.def_property_readonly("warnings", [](const EngineStudy& self) {
    std::vector<std::string> all = self.warnings();
    for (std::string& each : all) each = to_valid_utf8(each);
    return all;
  });
  studies.def_property_readonly("budget_answer", &EngineStudy::budget_answer);
  studies.def("save", &EngineStudy::save, "path"_a);
  studies.def("report", &EngineStudy::report);
  studies.def("card", &EngineStudy::card);
}

EngineStudy load(const std::string& path, std::map<std::string, std::string> dims,
                 std::vector<std::string> plans, int level, std::optional<std::string> order,
                 std::optional<std::string> allocator,
                 std::map<std::string, std::string> what_ifs) {
  return EngineStudy::load(path, {std::move(dims), std::move(plans), level, std::move(order),
                                  std::move(allocator), std::move(what_ifs)});
}

}  // namespace

}  // namespace stashscope::python

PYBIND11_MODULE(_engine, module) {
  using namespace stashscope::python;
  translate_errors(module);
  ClassOfStudies studies(module, "Study");
  add_memory(studies);
  add_costs(studies);
  add_choices(studies);
  add_edits(studies);
  add_texts(studies);
  module.def("load", &load, "path"_a, "dims"_a, "plans"_a, "level"_a, "order"_a, "allocator"_a,
             "what_ifs"_a);
}
