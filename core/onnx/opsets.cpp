#include "core/onnx/opsets.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

/// The newest opset of the ONNX releases with this IR version, at most 24.
/// (onnx/docs/Versioning.md, table of versions)
std::int64_t usual_opset(std::int64_t ir_version) {
  constexpr std::array<std::int64_t, 14> by_ir = {1,  1,  1,  8,  9,  10, 11,
                                                  14, 18, 20, 22, 23, 24, 24};
  const auto index = static_cast<std::size_t>(std::max<std::int64_t>(0, ir_version));
  return by_ir[std::min(index, by_ir.size() - 1)];
}

}  // namespace

std::map<std::string, std::int64_t> read_opsets(const onnx::ModelProto& model,
                                                std::vector<std::string>& warnings) {
  std::map<std::string, std::int64_t> opsets;
  for (const auto& import : model.opset_import()) {
    if (import.version() < 1) {
      const std::string domain = import.domain().empty() ? "ai.onnx" : import.domain();
      fail_input("opset of " + printable(domain),
                 "is " + std::to_string(import.version()) + ", but opsets start at 1",
                 "export the model again");
    }
    opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
  }
  if (opsets.empty()) {
    opsets[""] = usual_opset(model.ir_version());
    warnings.push_back("no opset is imported; ai.onnx " + std::to_string(opsets[""]) +
                       " is assumed");
  }
  constexpr std::int64_t newest_known_opset = 24;
  constexpr std::int64_t newest_known_ir = 13;
  if (opsets.contains("") && opsets[""] > newest_known_opset) {
    warnings.push_back("opset " + std::to_string(opsets[""]) +
                       " is newer than the newest known opset, " +
                       std::to_string(newest_known_opset) + "; operators may have changed");
  }
  if (opsets.contains("") && opsets[""] < 7) {
    warnings.push_back("opset " + std::to_string(opsets[""]) +
                       " is older than 7; broadcasting attributes are not read");
  }
  if (model.ir_version() > newest_known_ir) {
    warnings.push_back("IR version " + std::to_string(model.ir_version()) +
                       " is newer than the newest known version, " +
                       std::to_string(newest_known_ir));
  }
  return opsets;
}

}  // namespace stashscope
