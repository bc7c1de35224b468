#include "core/run/measurement/device_name.h"

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace stashscope {
namespace device_name_test {

TEST(DeviceName, IsOneOfTheKnownSpellings) {
  for (const char* name : {"none", "cpu", "cuda", "cuda:0", "cuda:12"}) {
    EXPECT_NO_THROW(check_device_name(name)) << name;
  }
  for (const char* name : {"", "CPU", "gpu", "cuda:", "cuda0", "cuda:x", "cuda:-1", "cuda:1234"}) {
    try {
      check_device_name(name);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage) << name;
      EXPECT_NE(error.where().find("'" + std::string(name) + "'"), std::string::npos);
    }
  }
}

TEST(DeviceName, OfAGpuMayHaveANumber) {
  EXPECT_TRUE(names_cuda("cuda"));
  EXPECT_TRUE(names_cuda("cuda:7"));
  EXPECT_FALSE(names_cuda("cpu"));
  EXPECT_FALSE(names_cuda("cuda:7a"));
}

}  // namespace device_name_test
}  // namespace stashscope
