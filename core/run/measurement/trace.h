#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace stashscope {

/// One event of a training step. A trace lists the events in the order in which they happened.
struct TraceEvent {
  enum class Kind : std::uint8_t {
    allocate,    ///< `bytes` were allocated for `name`
    release,     ///< `bytes` of `name` were released
    node_start,  ///< the node in slot `step` starts; its outputs are allocated after this event
    node_end,    ///< the node ended; values that no later node reads are released after this event
    resident,    ///< the resident size of the process is now `bytes`
    workspace,   ///< scratch memory in use is now `bytes`
    reserved,    ///< the device's allocator now holds `bytes`, used or free
  };

  Kind kind = Kind::node_start;
  std::uint32_t step = 0;  ///< slot: position in the execution order
  std::int64_t bytes = 0;
  std::int64_t live_bytes = 0;  ///< tensor bytes after the event, without scratch memory
  double seconds = 0;           ///< seconds since the step started
  std::string name;             ///< name of the tensor or node; may be empty
};

using TraceSink = std::function<void(const TraceEvent&)>;

/// The measurement of one training step, or of several runs of the same step.
struct Measurement {
  std::string device;                    ///< `cpu`, `cuda:0`, ...
  std::vector<std::int64_t> live_bytes;  ///< peak tensor bytes of each slot, as in Timeline
  std::vector<double> node_seconds;      ///< seconds of the node in each slot
  double step_seconds = 0;               ///< wall time of the whole step; 0: unknown
  std::int64_t peak_bytes = 0;
  std::int64_t peak_resident_bytes = 0;  ///< largest resident size seen; 0: unknown
  /// Tensor bytes before each slot and after the last one, as in Timeline; empty: unknown.
  std::vector<std::int64_t> idle_bytes;
  /// Sizes, by name, of the data-dependent dims that occur in the step's tensors.
  std::map<std::string, std::int64_t> data_dependent;
  int repeats = 1;                     ///< number of runs; times are medians over the runs
  std::int64_t repeat_difference = 0;  ///< largest difference of a slot's live bytes between runs
  /// Peak scratch memory of the kernels by slot, not part of live_bytes; empty when there was none.
  std::vector<std::int64_t> workspace_bytes;
  /// Peak of tensors plus scratch memory at one moment, measured over the whole step instead of by
  /// slot; 0: not measured.
  std::int64_t peak_together_bytes = 0;
  std::int64_t peak_reserved_bytes =
      0;                             ///< peak bytes that the device's allocator held; 0: unknown
  std::vector<std::string> remarks;  ///< which numbers are inexact, and why

  friend bool operator==(const Measurement&, const Measurement&) = default;
};

/// Sum of the nodes' seconds.
double seconds_of_nodes(const Measurement& measured);

/// Peak scratch memory of all slots; 0 when there was none.
std::int64_t peak_workspace(const Measurement& measured);

/// For each slot, the peak of the tensors plus the peak of the scratch memory; empty when there was
/// no scratch memory. The two peaks of a slot may occur at different moments.
std::vector<std::int64_t> with_workspace(const Measurement& measured);

/// Peak of tensors plus scratch memory: the maximum of `peak_bytes`, `peak_together_bytes` and the
/// entries of with_workspace.
std::int64_t peak_with_workspace(const Measurement& measured);

/// Makes a measurement from a stream of events. A slot may run several times, once for each
/// micro-batch of the step. The measurement then has, for each slot, the most bytes of all its runs
/// and the sum of the seconds of its node.
class MeasurementBuilder {
 public:
  explicit MeasurementBuilder(std::string device) { measurement_.device = std::move(device); }
  void add(const TraceEvent& event);
  void add_size(const std::string& name, std::int64_t size) {
    measurement_.data_dependent[name] = size;
  }
  Measurement take();

 private:
  void start_node(const TraceEvent& event);
  void end_node(double seconds);

  Measurement measurement_;
  std::int64_t live_bytes_ = 0;  ///< live bytes after the last event
  std::int64_t workspace_bytes_ = 0;
  std::size_t slot_ = 0;      ///< the slot of the last node that started
  bool is_first_run_ = true;  ///< whether that slot runs for the first time
  double node_started_ = 0;
  bool in_node_ = false;
};

/// Convert an event to one line of text (`A 12 4096 1048576 0.25 name`, without a line end) and
/// back. parse_event throws a run Error for any other line.
std::string format_event(const TraceEvent& event);
TraceEvent parse_event(const std::string& line);

/// The largest difference between the measured and the predicted live bytes of a slot. Throws a run
/// Error when the two lists have different lengths.
std::int64_t largest_difference(const std::vector<std::int64_t>& measured,
                                const std::vector<std::int64_t>& predicted);

}  // namespace stashscope
