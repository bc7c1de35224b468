#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/run/cuda/codegen/kernel_library.h"
#include "core/run/cuda/execute/plugin_loader.h"
#include "core/run/devices/devices.h"
#include "core/run/step/runner.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope::cuda {
namespace plugin_test {

const PluginInterface& plugin() { return *installed_plugin().functions; }

bool has_driver() { return plugin().list().reason != "no NVIDIA driver"; }

/// The text of the library of all kernels, followed by kernels that each store their own number.
struct Kernels {
  explicit Kernels(int count) : text(kernel_library()) {
    for (int i = 0; i < count; ++i) {
      entries.push_back("kernel_" + std::to_string(i));
      text += "extern \"C\" __global__ void __launch_bounds__(32) " + entries.back() +
              "(float* to) { to[threadIdx.x] = " + std::to_string(i) + "; }\n";
    }
  }
  std::string text;
  std::vector<std::string> entries;
};

bool holds(const std::string& image, const std::string& name) {
  return image.find(name + '\0') != std::string::npos;
}

TEST(Plugin, OpensBesideTheProgram) {
  ASSERT_NE(installed_plugin().functions, nullptr) << installed_plugin().reason;
  EXPECT_EQ(installed_plugin().reason, "");
}

TEST(Plugin, WithoutADriverItSaysSo) {
  if (has_driver()) GTEST_SKIP() << "there is an NVIDIA driver";
  EXPECT_TRUE(plugin().list().devices.empty());
  const std::vector<DeviceInfo> all = list_devices();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].available);
  EXPECT_EQ(all[1].name, "cuda");
  EXPECT_EQ(all[1].description, "no NVIDIA driver");
  EXPECT_FALSE(all[1].available);
  const std::string said = test::refusal(ErrorKind::run, [] { make_runner("cuda:1"); });
  EXPECT_NE(said.find("no NVIDIA driver"), std::string::npos) << said;
}

/// The error crosses from the plugin, which has its own copy of the error's type.
TEST(Plugin, WithoutADriverNoDeviceOpens) {
  if (has_driver()) GTEST_SKIP() << "there is an NVIDIA driver";
  const std::string said = test::refusal(ErrorKind::run, [] { plugin().open(0); });
  EXPECT_NE(said.find("driver"), std::string::npos) << said;
}

TEST(Plugin, CompilesTheKernelLibraryForAnyDevice) {
  const Kernels kernels(1);
  for (const int architecture : {75, 80, 90}) {
    const std::vector<std::string> images =
        plugin().compile(kernels.text, kernels.entries, architecture);
    ASSERT_EQ(images.size(), 1U);
    EXPECT_TRUE(
        images[0].starts_with("\x7f"
                              "ELF"))
        << architecture;
    EXPECT_TRUE(holds(images[0], "kernel_0")) << architecture;
  }
}

TEST(Plugin, CompilesKernelsThatWalkAlongRows) {
  const std::string text =
      kernel_library() +
      "extern \"C\" __global__ void __launch_bounds__(128) softmax(const Half* "
      "x, Half* y) { softmax_rows<Half, RowLayout<32, 5, 1000, 1, 8, true>>("
      "Elements<Half>{x}, y); }\n";
  EXPECT_TRUE(holds(plugin().compile(text, {"softmax"}, 90).at(0), "softmax"));
}

TEST(Plugin, ADeviceNewerThanTheCompilerGetsCodeForItsDriver) {
  const Kernels kernels(1);
  const std::vector<std::string> images = plugin().compile(kernels.text, kernels.entries, 990);
  ASSERT_EQ(images.size(), 1U);
  EXPECT_NE(images[0].find(".visible .entry kernel_0"), std::string::npos);
}

TEST(Plugin, ADeviceThatIsTooOldIsRefused) {
  const Kernels kernels(1);
  const std::string said =
      test::refusal(ErrorKind::run, [&] { plugin().compile(kernels.text, kernels.entries, 20); });
  EXPECT_NE(said.find("compute capability 2.0: is too old for CUDA"), std::string::npos) << said;
}

TEST(Plugin, ManyKernelsAreEachInOneImage) {
  const Kernels kernels(40);
  const std::vector<std::string> images = plugin().compile(kernels.text, kernels.entries, 90);
  for (const std::string& entry : kernels.entries) {
    EXPECT_EQ(std::ranges::count_if(images, [&](const auto& image) { return holds(image, entry); }),
              1)
        << entry;
  }
}

TEST(Plugin, AFaultInAKernelIsShownWithItsLine) {
  Kernels kernels(1);
  kernels.text += "extern \"C\" __global__ void wrong(float* to) {\n  *to = no_such_name + 1;\n}\n";
  kernels.entries.push_back("wrong");
  const std::string said =
      test::refusal(ErrorKind::run, [&] { plugin().compile(kernels.text, kernels.entries, 90); });
  EXPECT_NE(said.find("identifier \"no_such_name\" is undefined"), std::string::npos) << said;
  EXPECT_NE(said.find("*to = no_such_name + 1;"), std::string::npos) << said;
}

TEST(PluginLoader, AMissingPluginIsNamed) {
  const test::Folder folder;
  const LoadedPlugin none = load_plugin({folder / "bin", folder / "lib"});
  EXPECT_EQ(none.functions, nullptr);
  EXPECT_NE(none.reason.find("bin/libstashscope-cuda.so is missing"), std::string::npos)
      << none.reason;
}

TEST(PluginLoader, ABrokenPluginIsRefusedWithTheReason) {
  const test::Folder folder;
  write_file_atomically(folder / "libstashscope-cuda.so", "no library");
  const LoadedPlugin broken = load_plugin({folder / "none", folder.path()});
  EXPECT_EQ(broken.functions, nullptr);
  EXPECT_NE(broken.reason.find("cannot be opened"), std::string::npos) << broken.reason;
}

}  // namespace plugin_test
}  // namespace stashscope::cuda
