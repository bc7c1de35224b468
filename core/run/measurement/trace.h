#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace stashscope {

/// What happened to memory while a step ran, in the order it happened.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    allocate,    ///< `bytes` for `name`
    release,     ///< `bytes` of `name`
    node_start,  ///< the node of `step` starts; its outputs are allocated behind this
    node_end,    ///< it ended; what it read last is released behind this
    resident,    ///< bytes of the whole process as the system counts them
    workspace,   ///< scratch memory changed: `bytes` of it are in use
    reserved,    ///< `bytes` are what the device's allocator holds, used or not
  };

  Kind kind = Kind::node_start;
  std::uint32_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t live_bytes = 0;  ///< tensor bytes after the event, without scratch memory
  double seconds = 0;           ///< since the step started
  std::string name;             ///< tensor or node; empty where there is none
};

using TraceSink = std::function<void(const TraceEvent&)>;

/// What a run of one step measured.
struct Measurement {
  std::string device;                    ///< `cpu`, `cuda:0`, ...
  std::vector<std::int64_t> live_bytes;  ///< by step, as Timeline counts them
  std::vector<double> node_seconds;      ///< by step
  double step_seconds = 0;               ///< of the whole step, as its caller waits; 0: unknown
  std::int64_t peak_bytes = 0;
  std::int64_t peak_resident_bytes = 0;  ///< largest process size seen; 0 when unknown
  std::vector<std::int64_t> idle_bytes;  ///< as Timeline counts them; empty when unknown
  /// By name, the dims that depend on data, where a tensor of the step has them.
  std::map<std::string, std::int64_t> data_dependent;
  int repeats = 1;                     ///< runs that the times are the medians of
  std::int64_t repeat_difference = 0;  ///< largest, of live bytes at any step between the runs
  /// By step, the most scratch memory that kernels had beside the tensors; empty when none had.
  std::vector<std::int64_t> workspace_bytes;
  /// The most of tensors and scratch memory at a moment, where that is known apart from steps;
  /// else 0.
  std::int64_t peak_together_bytes = 0;
  std::int64_t peak_reserved_bytes = 0;  ///< most that the device's allocator held; 0 when unknown
  std::vector<std::string> remarks;      ///< what of it is less exact than it could be

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// Seconds that all nodes took together.
double seconds_of_nodes(const Measurement& measured);

/// The most scratch memory at any step; 0 where there was none.
std::int64_t peak_workspace(const Measurement& measured);

/// By step, tensors and scratch memory together; empty where there was none. Of one step both are
/// the most, which need not have been there at the same moment.
std::vector<std::int64_t> with_workspace(const Measurement& measured);

/// The most of these, or what is known apart from steps; that of the tensors where there was no
/// scratch memory.
std::int64_t peak_with_workspace(const Measurement& measured);

/// Adds up a stream of events into a measurement.
class MeasurementBuilder {
 public:
  explicit MeasurementBuilder(std::string device) { measurement_.device = std::move(device); }
  void add(const TraceEvent& event);
  void add_size(const std::string& name, std::int64_t size) {
    measurement_.data_dependent[name] = size;
  }
  Measurement take();

 private:
  Measurement measurement_;
  std::int64_t live_bytes_ = 0;  ///< after the last event
  std::int64_t workspace_bytes_ = 0;
  double node_started_ = 0;
  bool in_node_ = false;
};

/// One line of text per event (`A 12 4096 1048576 0.25 name`), without a line end, and back.
/// Throws a run Error for a line that is no event.
std::string format_event(const TraceEvent& event);
TraceEvent parse_event(const std::string& line);

/// The largest difference between measured and predicted live bytes of any step; the number of
/// steps must be equal.
std::int64_t largest_difference(const std::vector<std::int64_t>& measured,
                                const std::vector<std::int64_t>& predicted);

}  // namespace stashscope
