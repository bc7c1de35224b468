#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/files.h"
#include "core/onnx/model_file.h"
#include "tests/support/model_builder.h"

/// Runs both programs as a script does, in a temporary folder with a `model.onnx`.
namespace stashscope {

namespace fs = std::filesystem;

struct Outcome {
  int status = -1;
  std::string output;
  std::string errors;
};

class CommandLine : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "stashscope-cli-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder = pattern;
    save_model(test::deep_perceptron(6).build(), folder / "model.onnx");
  }
  void TearDown() override { fs::remove_all(folder); }

  std::string in_folder(const std::string& name) const { return (folder / name).string(); }

  Outcome run(const std::string& program, const std::string& arguments) const {
    const std::string command = program + " " + arguments + " >" + in_folder("out.txt") + " 2>" +
                                in_folder("err.txt") + " </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128, read_file(in_folder("out.txt")),
            read_file(in_folder("err.txt"))};
  }
  Outcome stashscope(const std::string& arguments) const {
    return run(STASHSCOPE_PROGRAM, arguments);
  }
  Outcome worker(const std::string& arguments) const { return run(STASHSCOPE_WORKER, arguments); }

  nlohmann::json report(const std::string& arguments) const {
    const Outcome outcome = stashscope("--batch --format json " + arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    return nlohmann::json::parse(outcome.output);
  }

  fs::path folder;
};

/// A number in protobuf's encoding; `number` is less than 128.
inline std::string byte_of(std::size_t number) { return {static_cast<char>(number)}; }

/// Writes a file with a short float32 tensor.
inline void write_tensor(const fs::path& path, const std::string& name,
                         const std::vector<int>& dims, const std::vector<float>& items) {
  std::string text;
  for (const int dim : dims) text += "\x08" + byte_of(static_cast<std::size_t>(dim));
  text += "\x10\x01\x42" + byte_of(name.size()) + name;
  text += "\x4a" + byte_of(items.size() * sizeof(float));
  text.append(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(float));
  write_file_atomically(path, text);
}

/// Saves the model `y = -x`.
inline void save_negation(const fs::path& path) {
  test::ModelBuilder model;
  model.input("x", {"N", 2}).node("Neg", {"x"}, {"y"}).output("y");
  save_model(model.build(), path);
}

/// Expects one line on standard error that starts with the program's name, and no output.
inline void expect_one_line(const Outcome& outcome, const std::string& program) {
  EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1) << outcome.errors;
  EXPECT_TRUE(outcome.errors.starts_with(program + ": ")) << outcome.errors;
  EXPECT_EQ(outcome.output, "");
}

}  // namespace stashscope
