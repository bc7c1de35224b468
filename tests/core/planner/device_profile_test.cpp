#include "core/planner/device_profile.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/error.h"
#include "tests/support/folder.h"

namespace stashscope {
namespace device_profile_test {

using nlohmann::json;

json complete() {
  return {{"name", "mine"},           {"memory_bytes", 1 << 30},
          {"bandwidth", 1e12},        {"link_bandwidth", 2e10},
          {"launch_seconds", 3e-6},   {"vector_flops", {{"float32", 1e13}, {"float16", 2e13}}},
          {"compute_efficiency", .5}, {"matrix_flops", {{"tf32", 5e13}}}};
}

/// The message of the input Error for a text; "accepted" without one. Every such Error has a hint.
std::string complaint(const std::string& text) {
  try {
    parse_profile(text);
    return "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_FALSE(error.hint().empty()) << error.what();
    return error.what();
  }
}

TEST(BundledProfiles, AreCompleteAndDifferent) {
  std::set<std::string> names;
  for (const DeviceProfile& each : device_profiles()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_GT(each.memory_bytes, 0);
    EXPECT_GT(each.bandwidth, each.link_bandwidth * 0.99) << each.name;
    EXPECT_GT(each.vector.float32, each.vector.float64) << each.name;
    EXPECT_EQ(load_profile(each.name), each);
    EXPECT_EQ(profile_from_json(profile_to_json(each)), each);
    EXPECT_TRUE(profile_to_json(each).is_string());
  }
  EXPECT_EQ(load_profile("h200-sxm5-141gb").name, "H200-SXM5-141GB");
}

TEST(BundledProfiles, HaveTheNumbersOfTheSheet) {
  const DeviceProfile a100 = load_profile("A100-SXM4-80GB");
  const auto rate = [&](ComputeUnit unit, ElementType element) {
    return operations_per_second(a100, unit, element);
  };
  EXPECT_DOUBLE_EQ(rate(ComputeUnit::matrix, ElementType::float16), 312e12);
  EXPECT_DOUBLE_EQ(rate(ComputeUnit::matrix, ElementType::float32), 156e12);
  EXPECT_DOUBLE_EQ(rate(ComputeUnit::vector, ElementType::float32), 19.5e12);
  EXPECT_DOUBLE_EQ(rate(ComputeUnit::matrix, ElementType::float64), 19.5e12);
  EXPECT_DOUBLE_EQ(rate(ComputeUnit::matrix, ElementType::float8e5m2), 312e12);
  EXPECT_DOUBLE_EQ(a100.bandwidth, 2.039e12);
}

/// The totals are those of PyTorch's messages about missing memory.
TEST(BundledProfiles, HaveNoMoreMemoryThanCudaReports) {
  constexpr double gib = 1 << 30;
  const std::map<std::string, double> reported = {
      {"T4-16GB", 14.75}, {"A100-SXM4-80GB", 79.15}, {"RTX4090-24GB", 23.64}};
  for (const auto& [name, total] : reported) {
    const auto memory = static_cast<double>(load_profile(name).memory_bytes);
    EXPECT_LE(memory, total * gib) << name;
    EXPECT_GE(memory, (total - 0.1) * gib) << name;
  }
}

TEST(OwnProfiles, AreReadAndWrittenInFull) {
  const DeviceProfile profile = parse_profile(complete().dump());
  EXPECT_EQ(profile.name, "mine");
  EXPECT_EQ(profile.memory_bytes, 1 << 30);
  EXPECT_EQ(profile.matrix.tf32, 5e13);
  EXPECT_EQ(profile.vector.float16, 2e13);
  EXPECT_EQ(profile.compute_efficiency, 0.5);
  EXPECT_EQ(profile.bandwidth_efficiency, 1);
  EXPECT_EQ(profile_from_json(profile_to_json(profile)), profile);
}

TEST(OwnProfiles, MayHaveTheNameOfABundledOne) {
  DeviceProfile changed = default_profile();
  changed.bandwidth /= 2;
  EXPECT_EQ(profile_from_json(profile_to_json(changed)), changed);
}

TEST(OwnProfiles, ThatAreWrongAreRefusedByKey) {
  struct Case {
    const char* patch;  // a JSON merge patch, in which null removes a key
    const char* said;   // the key, and the value if it is out of range
  };
  const Case cases[] = {
      {R"({"bandwith": 1e12})", "key 'bandwith': "},
      {R"({"bandwidth": "fast"})", "key 'bandwidth': "},
      {R"({"bandwidth": true})", "key 'bandwidth': "},
      {R"({"bandwidth": -1})", "key 'bandwidth': is -1"},
      {R"({"bandwidth": null})", "key 'bandwidth': "},
      {R"({"launch_seconds": -1e-6})", "key 'launch_seconds': is -1e-06"},
      {R"({"compute_efficiency": 1.5})", "key 'compute_efficiency': is 1.5"},
      {R"({"memory_bytes": 0.5})", "key 'memory_bytes': "},
      {R"({"memory_bytes": -5})", "key 'memory_bytes': is -5"},
      {R"({"name": 7})", "key 'name': "},
      {R"({"name": ""})", "key 'name': "},
      {R"({"vector_flops": 7})", "key 'vector_flops': "},
      {R"({"vector_flops": {"tf32": 1e12}})", "key 'vector_flops.tf32': "},
      {R"({"vector_flops": {"float32": null}})", "key 'vector_flops.float32': "},
      {R"({"matrix_flops": {"float16": 0}})", "key 'matrix_flops.float16': is 0"},
      {R"({"matrix_flops": {"half": 1}})", "key 'matrix_flops.half': "},
  };
  for (const Case& each : cases) {
    json object = complete();
    object.merge_patch(json::parse(each.patch));
    const std::string said = complaint(object.dump());
    EXPECT_TRUE(said.starts_with(each.said)) << said;
  }
  for (const char* text : {"{\"name\": ", "[]", "{\"bandwidth\": 1e999}"}) {
    EXPECT_NE(complaint(text).find("JSON"), std::string::npos) << text;
  }
}

TEST(OwnProfiles, ThatAreWrongAreRefusedByFile) {
  const test::Folder folder;
  const std::string path = (folder.path() / "mine.json").string();
  std::ofstream(path) << complete().dump();
  EXPECT_EQ(load_profile(path).name, "mine");
  std::ofstream(path) << "{}";
  try {
    load_profile(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.where().find("mine.json"), std::string::npos);
    EXPECT_NE(error.where().find("'name'"), std::string::npos);
  }
  try {
    load_profile("no-such-device");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("H100"), std::string::npos);
  }
}

}  // namespace device_profile_test
}  // namespace stashscope
