#include "core/run/cuda/plugin/cupti_trace.h"

#include <cupti.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "core/base/shared_library.h"
#include "core/run/cuda/plugin/check.h"
#include "core/run/cuda/plugin/cupti_records.h"

namespace stashscope::cuda {

namespace {

constexpr std::size_t buffer_bytes = std::size_t{8} << 20;
constexpr std::size_t buffer_alignment = 8;
constexpr auto step_kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;

/// The kinds of records to request. Records of slots refer to records of calls, and records of
/// memory refer to records of pools, so calls and pools are included.
constexpr std::array activity_kinds = {CUPTI_ACTIVITY_KIND_MEMORY_POOL,
                                       CUPTI_ACTIVITY_KIND_MEMORY2,
                                       CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                       CUPTI_ACTIVITY_KIND_MEMCPY,
                                       CUPTI_ACTIVITY_KIND_MEMSET,
                                       CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                       CUPTI_ACTIVITY_KIND_RUNTIME,
                                       CUPTI_ACTIVITY_KIND_DRIVER};

/// File names of CUPTI in the toolkit with which the plugin is built, because the plugin uses enums
/// and structs of that version. Before version 12, the name also contains the minor version.
std::vector<std::string> library_names() {
  const int major = CUDART_VERSION / 1000;
  const int minor = CUDART_VERSION % 1000 / 10;
  const std::string name = "libcupti.so." + std::to_string(major);
  if (major >= 12) return {name};
  return {name + "." + std::to_string(minor)};
}

/// The records from the buffers that the library's threads deliver.
struct Received {
  std::mutex mutex;
  TraceRecords records;
  decltype(&cuptiActivityGetNextRecord) next = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) dropped = nullptr;
};

/// The object is never destroyed, because the library's threads may still deliver buffers while the
/// program ends.
Received& received() {
  static Received& all = *new Received;
  return all;
}

TraceRecords take_records() {
  Received& all = received();
  const std::scoped_lock lock(all.mutex);
  return std::exchange(all.records, {});
}

void CUPTIAPI hand_out_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(buffer_alignment, buffer_bytes));
  *size = *buffer == nullptr ? 0 : buffer_bytes;
  *records = 0;
}

void CUPTIAPI take_buffer_back(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                               std::size_t, std::size_t valid_bytes) {
  Received& all = received();
  const std::scoped_lock lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (all.next(buffer, valid_bytes, &record) == CUPTI_SUCCESS) {
    append_record(*record, all.records);
  }
  std::size_t dropped = 0;
  if (all.dropped(context, stream, &dropped) == CUPTI_SUCCESS) {
    all.records.dropped += static_cast<std::int64_t>(dropped);
  }
  std::free(buffer);
}

}  // namespace

/// CUPTI's functions.
class CuptiTrace::Library {
 public:
  Library() : functions_(library_names()) {
    if (!functions_.is_open()) {
      fail_run(device_place, "CUPTI (" + library_names().front() +
                                 ") is not installed: " + printable(functions_.failure()));
    }
    enable = find<decltype(cuptiActivityEnable)>("cuptiActivityEnable");
    disable = find<decltype(cuptiActivityDisable)>("cuptiActivityDisable");
    flush = find<decltype(cuptiActivityFlushAll)>("cuptiActivityFlushAll");
    push = find<decltype(cuptiActivityPushExternalCorrelationId)>(
        "cuptiActivityPushExternalCorrelationId");
    pop = find<decltype(cuptiActivityPopExternalCorrelationId)>(
        "cuptiActivityPopExternalCorrelationId");
    keep_buffers_in_host_memory();
  }

  /// Registers the callbacks for the library's buffers. Returns the reason for a failure; empty on
  /// success. Must only be called when a trace starts, because the callbacks slow down all later
  /// work.
  std::string register_callbacks() const {
    Received& all = received();
    all.next = find<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
    all.dropped =
        find<decltype(cuptiActivityGetNumDroppedRecords)>("cuptiActivityGetNumDroppedRecords");
    return words_for(find<decltype(cuptiActivityRegisterCallbacks)>(
        "cuptiActivityRegisterCallbacks")(hand_out_buffer, take_buffer_back));
  }

  /// The library's message about a status; empty on success.
  std::string words_for(CUptiResult status) const {
    if (status == CUPTI_SUCCESS) return {};
    const char* text = nullptr;
    find<decltype(cuptiGetResultString)>("cuptiGetResultString")(status, &text);
    return text == nullptr ? "CUPTI failed" : std::string("CUPTI reports ") + text;
  }

  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush = nullptr;
  decltype(&cuptiActivityPushExternalCorrelationId) push = nullptr;
  decltype(&cuptiActivityPopExternalCorrelationId) pop = nullptr;

 private:
  template <class Function>
  Function* find(const char* name) const {
    return functions_.get<Function>(name);
  }

  /// Makes the library allocate its buffers in page-locked host memory. Ignores failures, because
  /// devices in a confidential virtual machine do not support such buffers.
  void keep_buffers_in_host_memory() const {
    std::uint8_t pinned = 1;
    std::size_t size = sizeof(pinned);
    find<decltype(cuptiActivitySetAttribute)>("cuptiActivitySetAttribute")(
        CUPTI_ACTIVITY_ATTR_MEM_ALLOCATION_TYPE_HOST_PINNED, &size, &pinned);
  }

  SharedLibrary functions_;
};

CuptiTrace::CuptiTrace() {
  try {
    library_ = std::make_unique<Library>();
  } catch (const Error& error) {
    reason_ = error.reason();
  }
}

CuptiTrace::~CuptiTrace() {
  if (runs_) stop();
}

std::string CuptiTrace::start() {
  if (!library_) return reason_;
  take_records();  // discards late records of the previous trace
  const std::string refusal = library_->register_callbacks();
  if (!refusal.empty()) return refusal;
  for (const CUpti_ActivityKind kind : activity_kinds) {
    const std::string failure = library_->words_for(library_->enable(kind));
    if (failure.empty()) continue;
    for (const CUpti_ActivityKind each : activity_kinds) library_->disable(each);
    return failure;
  }
  runs_ = true;
  return {};
}

void CuptiTrace::begin_step(std::uint32_t step) {
  if (!runs_) return;
  std::uint64_t last = 0;
  if (in_step_) library_->pop(step_kind, &last);
  in_step_ = library_->push(step_kind, step) == CUPTI_SUCCESS;
}

TraceRecords CuptiTrace::stop() {
  if (!runs_) return {};
  std::uint64_t last = 0;
  if (in_step_) library_->pop(step_kind, &last);
  library_->flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (const CUpti_ActivityKind kind : activity_kinds) library_->disable(kind);
  runs_ = false;
  in_step_ = false;
  return take_records();
}

}  // namespace stashscope::cuda
