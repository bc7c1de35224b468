#include "app/run_summary.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/fnv_hash.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/measured_report.h"
#include "core/study/measured/measure.h"

namespace stashscope::app {

void print_memory(const Study& study, const Measurement& measured) {
  const Variant& variant = *study.current;
  const std::string predicted = format_bytes(predicted_peak_of_tensors(variant));
  const std::size_t unknown = study.sizes->unknown.size();
  std::cout << "peak: " << format_bytes(measured.peak_bytes) << " measured, " << predicted
            << " predicted";
  if (unknown > 0) {
    std::cout << " without " << unknown << " tensors of unknown size";
  } else if (!measured.live_bytes.empty()) {
    const std::int64_t error = largest_error(variant, measured);
    std::cout << "; largest difference " << with_thousands(error) << " B at any of "
              << measured.live_bytes.size() << " slots";
  }
  std::cout << "\n";
  if (const std::int64_t inside = predicted_inside_nodes(variant); inside > 0) {
    std::cout << "bodies of If, Loop and Scan: at most " << format_bytes(inside)
              << " predicted, not measured; predicted peak with the bodies: "
              << format_bytes(variant.timeline.peak_bytes) << "\n";
  }
  if (!measured.workspace_bytes.empty()) {
    std::cout << "workspaces: at most " << format_bytes(peak_workspace(measured)) << "; "
              << format_bytes(peak_with_workspace(measured)) << " together with tensors\n";
  }
  if (measured.peak_reserved_bytes > 0) {
    std::cout << "reserved: " << format_bytes(measured.peak_reserved_bytes)
              << " by the device's allocator\n";
  }
}

void print_times(const Measurement& measured) {
  if (measured.repeats == 1) return;
  const std::string runs = " over " + std::to_string(measured.repeats) + " runs";
  if (measured.step_seconds > 0) {
    std::cout << "step: " << format_seconds(measured.step_seconds) << ", the median" << runs
              << "\n";
  }
  if (measured.node_seconds.empty()) return;
  std::cout << "time: " << format_seconds(seconds_of_nodes(measured))
            << ", the sum of the nodes' medians" << runs
            << "; the memory of the runs differs by at most "
            << with_thousands(measured.repeat_difference) << " B\n";
}

void write_summary(const Study& study, const Measurement& measured,
                   const std::filesystem::path& file) {
  nlohmann::json summary = run_json(measured);
  summary.update({{"device", measured.device},
                  {"predicted_peak_bytes", study.current->timeline.peak_bytes},
                  {"predicted_peak_of_tensors_bytes", predicted_peak_of_tensors(*study.current)},
                  {"baseline_predicted_peak_bytes", study.baseline->timeline.peak_bytes},
                  {"predicted_seconds", step_seconds(study, *study.current)},
                  {"steps", study.current->timeline.order.size()},
                  {"repeats", measured.repeats},
                  {"remarks", texts_json(measured.remarks)}});
  if (!measured.live_bytes.empty()) {
    summary["predicted_peak_with_workspace_bytes"] =
        predicted_with_workspace(*study.current, measured);
  }
  write_file_atomically(file, summary.dump(2) + "\n");
}

void print_digests(const NamedTensors& outputs) {
  for (const auto& [name, tensor] : outputs) {
    const TensorBytes data = tensor.load();
    FnvHash hash;
    for (const std::byte byte : data.bytes) hash.add_byte(std::to_integer<unsigned char>(byte));
    std::cout << "digest " << printable(name) << " " << std::hex << hash.value() << std::dec
              << "\n";
  }
}

}  // namespace stashscope::app
