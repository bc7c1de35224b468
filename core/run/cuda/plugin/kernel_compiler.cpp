#include "core/run/cuda/plugin/kernel_compiler.h"

#include <nvrtc.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <sstream>
#include <thread>

#include "core/base/error.h"

namespace stashscope::cuda {

namespace {

constexpr const char* entry_mark = "extern \"C\" __global__";
constexpr const char* program_name = "kernels.cu";
constexpr const char* compiler_place = "the CUDA compiler";
/// The smallest number of entries in a part, if a text is split into several parts. Every part also
/// compiles the shared text, so smaller parts would save no time.
constexpr std::size_t entries_per_part = 8;
constexpr unsigned most_parts = 8;

void check_nvrtc(nvrtcResult status) {
  if (status != NVRTC_SUCCESS) fail_run(compiler_place, nvrtcGetErrorString(status));
}

/// The target of the compiler: machine code for an architecture, or PTX, which the driver compiles
/// for a newer device.
struct CodeTarget {
  int architecture = 0;
  bool machine_code = true;

  std::string option() const {
    return (machine_code ? "--gpu-architecture=sm_" : "--gpu-architecture=compute_") +
           std::to_string(architecture);
  }
};

std::vector<int> known_architectures() {
  int count = 0;
  check_nvrtc(nvrtcGetNumSupportedArchs(&count));
  std::vector<int> known(static_cast<std::size_t>(count));
  check_nvrtc(nvrtcGetSupportedArchs(known.data()));
  return known;
}

CodeTarget target_for(int architecture) {
  std::optional<int> newest;
  for (const int known : known_architectures()) {
    if (known == architecture) return {architecture, true};
    if (known < architecture) newest = std::max(newest.value_or(known), known);
  }
  if (newest) return {*newest, false};
  fail_run("a device of compute capability " + std::to_string(architecture / 10) + "." +
               std::to_string(architecture % 10),
           "is too old for CUDA " + compiler_version());
}

struct ProgramDeleter {
  void operator()(nvrtcProgram program) const { nvrtcDestroyProgram(&program); }
};
using Program = std::unique_ptr<std::remove_pointer_t<nvrtcProgram>, ProgramDeleter>;

Program make_program(const std::string& text) {
  nvrtcProgram program = nullptr;
  check_nvrtc(nvrtcCreateProgram(&program, text.c_str(), program_name, 0, nullptr, nullptr));
  return Program(program);
}

std::string log_of(nvrtcProgram program) {
  std::size_t size = 0;
  check_nvrtc(nvrtcGetProgramLogSize(program, &size));
  std::string log(size, '\0');
  if (size > 0) check_nvrtc(nvrtcGetProgramLog(program, log.data()));
  return log;
}

std::string line_of(const std::string& text, std::size_t number) {
  std::istringstream lines(text);
  std::string line;
  for (std::size_t i = 0; i < number && std::getline(lines, line); ++i) {
  }
  return line;
}

/// The line number in a message such as `kernels.cu(12): error: ...`; 0 if the message has none.
std::size_t line_number(const std::string& message) {
  const std::string start = std::string(program_name) + "(";
  if (!message.starts_with(start)) return 0;
  return std::strtoul(message.c_str() + start.size(), nullptr, 10);
}

/// Throws a run Error with the first error in the log and its source line, or with the start of the
/// log if the log contains no error.
[[noreturn]] void fail_with_log(const std::string& text, const std::string& log) {
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") == std::string::npos) continue;
    const std::size_t number = line_number(line);
    const std::string source = number > 0 ? ", in `" + line_of(text, number) + "`" : "";
    fail_run(compiler_place, printable(line, 400) + printable(source, 400));
  }
  fail_run(compiler_place, printable(log, 800));
}

std::string code_of(nvrtcProgram program, bool machine_code) {
  std::size_t size = 0;
  check_nvrtc(machine_code ? nvrtcGetCUBINSize(program, &size) : nvrtcGetPTXSize(program, &size));
  std::string code(size, '\0');
  check_nvrtc(machine_code ? nvrtcGetCUBIN(program, code.data())
                           : nvrtcGetPTX(program, code.data()));
  return code;
}

std::string compile_program(const std::string& text, const CodeTarget& target) {
  const Program program = make_program(text);
  const std::string architecture = target.option();
  // Lambdas in kernels are not marked as device code, so an option makes device code the default.
  const std::vector<const char*> options = {
      "--std=c++17", "--fmad=false", "--device-as-default-execution-space", architecture.c_str()};
  const nvrtcResult status =
      nvrtcCompileProgram(program.get(), static_cast<int>(options.size()), options.data());
  if (status == NVRTC_ERROR_COMPILATION) fail_with_log(text, log_of(program.get()));
  check_nvrtc(status);
  return code_of(program.get(), target.machine_code);
}

/// The offset of each entry, and the end of the text.
std::vector<std::size_t> entry_starts(const std::string& text) {
  std::vector<std::size_t> starts;
  for (std::size_t at = text.find(entry_mark); at != std::string::npos;
       at = text.find(entry_mark, at + 1)) {
    starts.push_back(at);
  }
  starts.push_back(text.size());
  return starts;
}

struct Part {
  std::string text;
  std::vector<std::size_t> entries;
};

std::size_t part_count(std::size_t entries) {
  const std::size_t threads = std::clamp(std::thread::hardware_concurrency(), 1U, most_parts);
  return std::clamp(entries / entries_per_part, std::size_t{1}, threads);
}

/// Distributes entries round-robin. Neighbouring entries are often similar and take equally long to
/// compile, so all parts get entries of all kinds.
std::vector<Part> parts_of(const std::string& text, std::size_t entries) {
  const std::vector<std::size_t> starts = entry_starts(text);
  const bool splits = starts.size() == entries + 1;
  std::vector<Part> parts(splits ? part_count(entries) : 1);
  for (Part& part : parts) part.text = splits ? text.substr(0, starts.front()) : text;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    Part& part = parts[entry % parts.size()];
    part.entries.push_back(entry);
    if (splits) part.text.append(text, starts[entry], starts[entry + 1] - starts[entry]);
  }
  return parts;
}

}  // namespace

std::vector<KernelImage> compile_kernels(const std::string& text,
                                         const std::vector<std::string>& entries,
                                         int architecture) {
  const CodeTarget target = target_for(architecture);
  std::vector<Part> parts = parts_of(text, entries.size());
  std::vector<std::future<std::string>> codes;
  for (const Part& part : parts) {
    codes.push_back(std::async(std::launch::async,
                               [&part, target] { return compile_program(part.text, target); }));
  }
  std::vector<KernelImage> images;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    images.push_back({codes[i].get(), std::move(parts[i].entries)});
  }
  return images;
}

std::string compiler_version() {
  int major = 0;
  int minor = 0;
  check_nvrtc(nvrtcVersion(&major, &minor));
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace stashscope::cuda
