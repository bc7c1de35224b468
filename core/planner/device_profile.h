#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/ops/rules/op.h"

namespace stashscope {

/// Peak operations per second by operand type; 0: the profile has no rate for the type.
struct PeakRates {
  double float64 = 0;
  double float32 = 0;
  double tf32 = 0;  ///< matrix products only: float32 operands rounded to 19 bits
  double float16 = 0;
  double bfloat16 = 0;
  double float8 = 0;
  double int8 = 0;

  friend bool operator==(const PeakRates&, const PeakRates&) = default;
};

/// Limits on every rate in a profile, in operations or bytes per second.
constexpr double least_rate = 1;
constexpr double most_rate = 1e20;

/// The figures of a device from which the time of a step is predicted. Bundled profiles hold the
/// figures of the vendors' data sheets for dense operands.
struct DeviceProfile {
  std::string name;
  std::int64_t memory_bytes = 0;
  double bandwidth = 0;             ///< bytes per second of device memory
  double link_bandwidth = 0;        ///< bytes per second between host and device, one way
  double launch_seconds = 0;        ///< overhead of each kernel
  PeakRates matrix;                 ///< rates of the matrix units; all 0 without matrix units
  PeakRates vector;                 ///< rates of the vector units; float32 is always set
  double compute_efficiency = 1;    ///< achieved share of the peak rates
  double bandwidth_efficiency = 1;  ///< achieved share of the bandwidth

  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

std::span<const DeviceProfile> device_profiles();
const DeviceProfile& default_profile();

/// The bundled profile called `name_or_file` (ignoring case), or else the profile in the file of
/// this path. Throws a usage Error that lists the bundled names if there is no such profile or
/// file, and an input Error if the file is invalid.
DeviceProfile load_profile(const std::string& name_or_file);

/// Writes a profile to a file that load_profile can read. Throws an input Error with the path if
/// the file cannot be written.
void save_profile(const DeviceProfile& profile, const std::filesystem::path& path);

/// Parses a profile from JSON. Throws an input Error if the text is not JSON, or if a key is
/// missing, is unknown, or has a value of a wrong type or out of range.
DeviceProfile parse_profile(const std::string& text);

/// JSON for session files: only the name if the profile is bundled, else all figures.
nlohmann::json profile_to_json(const DeviceProfile& profile);
DeviceProfile profile_from_json(const nlohmann::json& json);

/// All figures of a profile by key; rates have keys such as `matrix_flops.float16`.
std::map<std::string, double> profile_figures(const DeviceProfile& profile);

/// The member of PeakRates for an element type. Types without a member of their own, such as int32,
/// use float32.
double PeakRates::*figure_for(ElementType element);

/// Achieved operations per second (peak rate times efficiency) for operands of a type. A type
/// without a rate uses the rate of the next wider type that has one; float64 and integers fall back
/// to float32. Matrix products use the larger of the matrix rate and the vector rate.
double operations_per_second(const DeviceProfile& profile, ComputeUnit unit, ElementType element);

/// Achieved bytes per second of device memory: bandwidth times efficiency.
double memory_bandwidth(const DeviceProfile& profile);

}  // namespace stashscope
