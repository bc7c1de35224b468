#include "app/lists.h"

#include <algorithm>
#include <iomanip>
#include <iostream>

#include "app/options.h"
#include "core/base/text.h"
#include "core/memory/optimizer.h"
#include "core/passes/graph_pass.h"
#include "core/passes/what_if/what_if.h"
#include "core/planner/device_profile.h"
#include "core/schedule/fusion/fusions.h"
#include "core/schedule/orders/orders.h"

namespace stashscope::app {

std::string order_list() {
  std::string text;
  for (const OrderStrategy& order : order_strategies()) {
    text += std::string(order.name) + ": " + std::string(order.description) +
            (order.kind == OrderKind::search ? " (a search; may take long)" : "") + "\n";
  }
  return text;
}

std::string fusion_list() {
  std::string text;
  for (const FusionStrategy& fusion : fusion_strategies()) {
    text += std::string(fusion.name) + ": " + std::string(fusion.description) + "\n";
  }
  return text;
}

std::string pass_list() {
  std::string text;
  for (const GraphPass& pass : graph_passes()) {
    text += std::string(pass.name) + ": " + std::string(pass.description) +
            (pass.among_all ? "" : " (not part of 'all')") + "\n";
  }
  return text;
}

std::string what_if_list() {
  std::string text;
  for (const WhatIf& each : what_ifs()) {
    text += std::string(each.name) + "=" + std::string(each.values) + ": " +
            std::string(each.description) + "\n";
  }
  return text;
}

int print_optimizers() {
  std::size_t widest = 0;
  for (const Optimizer& each : optimizers()) widest = std::max(widest, each.name.size());
  for (const Optimizer& each : optimizers()) {
    std::cout << std::left << std::setw(static_cast<int>(widest)) << each.name << "  "
              << each.description << (each.source.empty() ? "" : " (") << each.source
              << (each.source.empty() ? "\n" : ")\n");
  }
  flush_output();
  return 0;
}

int print_profiles() {
  std::cout << "Columns: memory in GiB, memory bandwidth in GB/s, float16 matrix products in "
               "TFLOP/s, float32 operations of other kinds in TFLOP/s, link to the host in GB/s\n";
  for (const DeviceProfile& each : device_profiles()) {
    const auto column = [](double number, int digits) {
      std::cout << std::right << std::setw(9) << format_fixed(number, digits);
    };
    std::cout << std::left << std::setw(16) << each.name;
    column(static_cast<double>(each.memory_bytes) / (1 << 30), 0);
    column(each.bandwidth / 1e9, 1);
    column(operations_per_second(each, ComputeUnit::matrix, ElementType::float16) / 1e12, 1);
    column(operations_per_second(each, ComputeUnit::vector, ElementType::float32) / 1e12, 1);
    column(each.link_bandwidth / 1e9, 1);
    std::cout << "\n";
  }
  flush_output();
  return 0;
}

}  // namespace stashscope::app
