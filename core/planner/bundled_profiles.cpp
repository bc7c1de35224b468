// Rates from the vendors' data sheets and architecture white papers, for dense operands and boost
// clocks. If a data sheet gives only the rate for sparse matrices, the profile has half this rate.
// The memory of a GPU is the total that CUDA reports, rounded down to a tenth of a GiB. It is less
// than the number of GB in the GPU's name, because drivers and error correction take a part.

#include <vector>

#include "core/planner/device_profile.h"

namespace stashscope {

namespace {

constexpr std::int64_t gibibytes(double number) {
  // Rounded as `parse_bytes` rounds, so that 14.7 GiB means the same bytes everywhere.
  return static_cast<std::int64_t>(number * static_cast<double>(std::int64_t{1} << 30) + 0.5);
}
constexpr double tera = 1e12;
constexpr double giga = 1e9;
/// Typical measured seconds to enqueue and start a kernel.
constexpr double launch = 5e-6;
/// Bytes per second in one direction: half of the data sheets' figure for both directions together.
constexpr double pcie_3 = 16 * giga;
constexpr double pcie_4 = 32 * giga;
constexpr double pcie_5 = 64 * giga;

constexpr PeakRates in_tera(PeakRates rates) {
  for (double* const each : {&rates.float64, &rates.float32, &rates.tf32, &rates.float16,
                             &rates.bfloat16, &rates.float8, &rates.int8}) {
    *each *= tera;
  }
  return rates;
}

constexpr PeakRates ampere_matrix =
    in_tera({.float64 = 19.5, .tf32 = 156, .float16 = 312, .bfloat16 = 312, .int8 = 624});
constexpr PeakRates ampere_vector =
    in_tera({.float64 = 9.7, .float32 = 19.5, .float16 = 78, .bfloat16 = 39});
constexpr PeakRates hopper_matrix = in_tera({.float64 = 67,
                                             .tf32 = 494.7,
                                             .float16 = 989.4,
                                             .bfloat16 = 989.4,
                                             .float8 = 1978.9,
                                             .int8 = 1978.9});
constexpr PeakRates hopper_vector =
    in_tera({.float64 = 33.5, .float32 = 66.9, .float16 = 133.8, .bfloat16 = 133.8});

/// The rates of a CPU with 8 cores at 3.5 GHz and two 256-bit fused multiply-adds per core and
/// clock. Its memory has two channels of DDR4-3200.
constexpr PeakRates desktop_vector = in_tera({.float64 = 0.448, .float32 = 0.896});

}  // namespace

std::span<const DeviceProfile> device_profiles() {
  static const std::vector<DeviceProfile> all = {
      {"A100-SXM4-80GB", gibibytes(79.1), 2039 * giga, pcie_4, launch, ampere_matrix,
       ampere_vector},
      {"A100-SXM4-40GB", gibibytes(39.3), 1555 * giga, pcie_4, launch, ampere_matrix,
       ampere_vector},
      {"H100-SXM5-80GB", gibibytes(79.1), 3352 * giga, pcie_5, launch, hopper_matrix,
       hopper_vector},
      {"H200-SXM5-141GB", gibibytes(139.8), 4800 * giga, pcie_5, launch, hopper_matrix,
       hopper_vector},
      {"L4-24GB", gibibytes(22.0), 300 * giga, pcie_4, launch,
       in_tera({.tf32 = 60, .float16 = 121, .bfloat16 = 121, .float8 = 242.5, .int8 = 242.5}),
       in_tera({.float64 = 0.47, .float32 = 30.3, .float16 = 30.3, .bfloat16 = 30.3})},
      {"A10-24GB", gibibytes(21.9), 600 * giga, pcie_4, launch,
       in_tera({.tf32 = 62.5, .float16 = 125, .bfloat16 = 125, .int8 = 250}),
       in_tera({.float64 = 0.49, .float32 = 31.2, .float16 = 31.2, .bfloat16 = 31.2})},
      {"RTX4090-24GB", gibibytes(23.6), 1008 * giga, pcie_4, launch,
       in_tera({.tf32 = 82.6, .float16 = 165.2, .bfloat16 = 165.2, .float8 = 330.3, .int8 = 660.6}),
       in_tera({.float64 = 1.29, .float32 = 82.6, .float16 = 82.6, .bfloat16 = 82.6})},
      {"V100-SXM2-32GB", gibibytes(31.7), 900 * giga, pcie_3, launch, in_tera({.float16 = 125}),
       in_tera({.float64 = 7.8, .float32 = 15.7, .float16 = 31.4})},
      {"T4-16GB", gibibytes(14.7), 320 * giga, pcie_3, launch,
       in_tera({.float16 = 65, .int8 = 130}),
       in_tera({.float64 = 0.25, .float32 = 8.1, .float16 = 16.2})},
      {"P100-PCIE-16GB",
       gibibytes(15.8),
       732 * giga,
       pcie_3,
       launch,
       {},
       in_tera({.float64 = 4.7, .float32 = 9.3, .float16 = 18.7})},
      {"CPU-8-cores", gibibytes(32), 51.2 * giga, 51.2 * giga, 1e-6, {}, desktop_vector},
  };
  return all;
}

const DeviceProfile& default_profile() { return device_profiles().front(); }

}  // namespace stashscope
