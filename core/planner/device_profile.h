#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/ops/rules/op.h"

namespace stashscope {

/// Peak operations per second by the type of the operands; 0 where the device names none.
struct PeakRates {
  double float64 = 0;
  double float32 = 0;
  double tf32 = 0;  ///< of matrix products only: float32 operands that may be rounded to 19 bits
  double float16 = 0;
  double bfloat16 = 0;
  double float8 = 0;
  double int8 = 0;

  friend bool operator==(const PeakRates&, const PeakRates&) = default;
};

/// Bounds of every rate of a profile, in operations or bytes per second.
constexpr double least_rate = 1;
constexpr double most_rate = 1e20;

/// What the time of a step is predicted from. A small value; the bundled ones hold the numbers of
/// the vendors' data sheets for dense operands.
struct DeviceProfile {
  std::string name;
  std::int64_t memory_bytes = 0;
  double bandwidth = 0;           ///< bytes per second of the device's own memory
  double link_bandwidth = 0;      ///< bytes per second from or to the host, one way
  double launch_seconds = 0;      ///< what every kernel takes beside its work
  PeakRates matrix;               ///< of units for matrix products; float32 falls back on `vector`
  PeakRates vector;               ///< float32 is always there
  double compute_efficiency = 1;  ///< share of the peak rates that is reached
  double bandwidth_efficiency = 1;  ///< share of the bandwidth that is reached

  friend bool operator==(const DeviceProfile&, const DeviceProfile&) = default;
};

std::span<const DeviceProfile> device_profiles();
const DeviceProfile& default_profile();

/// The bundled profile of that name, whatever its case, else the profile that the file of that name
/// holds. Throws a usage Error that lists the names, or an input Error about the file.
DeviceProfile load_profile(const std::string& name_or_file);

/// Writes the file that load_profile reads. Throws an input Error that names the path when the
/// place cannot be written.
void save_profile(const DeviceProfile& profile, const std::filesystem::path& path);

/// Throws an input Error that names the key: every key must be known, of the right type and in its
/// range.
DeviceProfile parse_profile(const std::string& text);

/// For sessions: the name of a bundled profile, any other one in full, and back.
nlohmann::json profile_to_json(const DeviceProfile& profile);
DeviceProfile profile_from_json(const nlohmann::json& json);

/// Every figure by its key, those of rates as `matrix_flops.float16`.
std::map<std::string, double> profile_figures(const DeviceProfile& profile);

/// The figure of a device that names one for a type: its own, of integers but the narrowest
/// float32.
double PeakRates::*figure_for(ElementType element);

/// Operations per second for operands of a type, efficiency included. A type without a figure is
/// computed as the next wider one that has one; products without units for matrices as all else.
double operations_per_second(const DeviceProfile& profile, ComputeUnit unit, ElementType element);

/// Bytes per second of the device's memory, efficiency included.
double memory_bandwidth(const DeviceProfile& profile);

}  // namespace stashscope
