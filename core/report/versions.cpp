#include "core/report/versions.h"

#include <google/protobuf/stubs/common.h>
#include <graphviz/graphviz_version.h>
#include <oneapi/dnnl/dnnl.h>
#include <onnx/common/version.h>

namespace stashscope {

namespace {

std::string dotted(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

std::string onednn_version() {
  const dnnl_version_t& version = *dnnl_version();
  return dotted(version.major, version.minor, version.patch);
}

/// Protobuf encodes its version as a number with three digits per part.
std::string protobuf_version() {
  constexpr int version = GOOGLE_PROTOBUF_VERSION;
  return dotted(version / 1'000'000, version / 1000 % 1000, version % 1000);
}

}  // namespace

std::vector<PartVersion> part_versions() {
  return {{"ONNX", ONNX_NAMESPACE::LAST_RELEASE_VERSION},
          {"Protobuf", protobuf_version()},
          {"oneDNN", onednn_version()},
          {"Graphviz", PACKAGE_VERSION}};
}

}  // namespace stashscope
