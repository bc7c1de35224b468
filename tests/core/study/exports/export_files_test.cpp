#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/exports/csv_tables.h"
#include "core/study/exports/mapped_memory.h"
#include "core/study/exports/node_data.h"
#include "core/study/exports/perfetto_trace.h"
#include "core/study/exports/protobuf_writer.h"
#include "core/study/exports/slot_times.h"
#include "core/study/facts/group_memory.h"
#include "core/study/reserved/reserved_memory.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace export_files_test {

std::shared_ptr<const Study> blocks() {
  Choices choices;
  choices.dims["N"] = 4096;
  return compute_study(test::named(test::blocks(3)), choices, nullptr, Progress());
}

std::vector<std::vector<std::string>> lines_of(const std::string& csv) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& line : split(csv, '\n')) {
    if (!line.empty()) lines.push_back(split(trimmed(line), ','));
  }
  return lines;
}

TEST(CsvTables, TheCurveHasASlotInEachLine) {
  const auto study = blocks();
  const Timeline& timeline = study->current->timeline;
  const auto plain = lines_of(slot_csv(*study, std::nullopt));
  const auto reserved = lines_of(slot_csv(*study, AllocatorSettings()));
  EXPECT_EQ(plain[0], (std::vector<std::string>{"slot", "node", "live"}));
  EXPECT_EQ(reserved[0].back(), "reserved");
  ASSERT_EQ(reserved.size(), timeline.order.size() + 1);
  const auto by_slot = reserved_memory(*study, *study->current, AllocatorSettings()).by_slot;
  for (std::size_t slot = 0; slot < timeline.order.size(); ++slot) {
    EXPECT_EQ(plain[slot + 1][2], std::to_string(timeline.live_bytes[slot]));
    EXPECT_EQ(reserved[slot + 1][3], std::to_string(by_slot[slot]));
  }
}

/// The tensors of each slot add up to its live bytes.
TEST(CsvTables, TensorsAddUpToTheCurve) {
  const auto study = blocks();
  const Timeline& timeline = study->current->timeline;
  const auto tensors = lines_of(tensor_csv(*study));
  EXPECT_EQ(tensors[0], (std::vector<std::string>{"name", "bytes", "first_slot", "last_slot",
                                                  "role", "module"}));
  std::vector<std::int64_t> live(timeline.order.size(), 0);
  for (std::size_t at = 1; at < tensors.size(); ++at) {
    for (std::size_t slot = std::stoul(tensors[at][2]); slot <= std::stoul(tensors[at][3]);
         ++slot) {
      live[slot - 1] += std::stoll(tensors[at][1]);
    }
  }
  for (std::size_t slot = 0; slot < live.size(); ++slot) {
    EXPECT_EQ(live[slot] + of(study->current->bands[slot], Band::workspace),
              timeline.live_bytes[slot]);
  }
}

TEST(NodeData, HasTheLargestValueOfEachNode) {
  const auto study = blocks();
  const auto data = nlohmann::json::parse(node_data(*study, NodeDataKind::live));
  ASSERT_EQ(data.size(), 1U);
  std::int64_t most = 0;
  for (const auto& each : data.begin()->at("results")) {
    most = std::max(most, each.at("value").get<std::int64_t>());
  }
  EXPECT_EQ(most, study->current->timeline.peak_bytes);
  EXPECT_EQ(data.begin()->at("results").size(), study->graph().nodes().size());
}

TEST(NodeData, StashedBytesAddUp) {
  const auto study = blocks();
  const auto data = nlohmann::json::parse(node_data(*study, NodeDataKind::stashed));
  std::int64_t sum = 0;
  for (const auto& each : data.begin()->at("results")) sum += each.at("value").get<std::int64_t>();
  EXPECT_GT(sum, 0);
  const auto& order = study->current->timeline.order;
  std::vector<NodeId> nodes(order.begin(), order.end());
  std::ranges::sort(nodes);
  EXPECT_EQ(sum, group_memory(*study, nodes, 0).sum.stashed_bytes);
}

TEST(ProtobufWriter, WritesTheWireFormat) {
  ProtobufWriter inner;
  inner.number(1, 150);
  ProtobufWriter outer;
  outer.message(3, inner);
  outer.bytes(16, "ab");
  outer.number(2, -1);
  EXPECT_EQ(outer.text(), std::string("\x1a\x03\x08\x96\x01\x82\x01\x02"
                                      "ab\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

/// A field of a protobuf message.
struct ProtobufField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  ///< of a varint
  std::string bytes = {};   ///< of a text or a message
};

std::uint64_t take_varint(std::string_view& message) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; !message.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(message.front());
    message.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

std::vector<ProtobufField> fields_of(std::string_view message) {
  std::vector<ProtobufField> fields;
  while (!message.empty()) {
    const std::uint64_t tag = take_varint(message);
    ProtobufField field{tag >> 3U, take_varint(message)};
    if ((tag & 7U) == 2) {
      field.bytes = message.substr(0, field.value);
      message.remove_prefix(std::min<std::size_t>(field.value, message.size()));
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::optional<ProtobufField> field_of(const std::vector<ProtobufField>& fields,
                                      std::uint64_t number) {
  const auto found = std::ranges::find(fields, number, &ProtobufField::number);
  return found == fields.end() ? std::nullopt : std::optional(*found);
}

/// What a trace has: the name of each track, the largest value of its counter, and the slices.
struct ReadTrace {
  std::map<std::uint64_t, std::string> tracks;
  std::map<std::string, std::uint64_t> largest;
  std::vector<std::string> begun;
  std::size_t ended = 0;
  bool is_in_order = true;
};

/// Field numbers of protos/perfetto/trace, written down once more.
ReadTrace read_trace(const std::string& text) {
  ReadTrace trace;
  std::uint64_t now = 0;
  for (const ProtobufField& packet : fields_of(text)) {
    const auto fields = fields_of(packet.bytes);
    if (const auto track = field_of(fields, 60)) {
      const auto descriptor = fields_of(track->bytes);
      trace.tracks[field_of(descriptor, 1)->value] = field_of(descriptor, 2)->bytes;
    }
    const auto message = field_of(fields, 11);
    if (!message) continue;
    const std::uint64_t time = field_of(fields, 8)->value;
    trace.is_in_order &= time >= now;
    now = time;
    const auto event = fields_of(message->bytes);
    const std::uint64_t type = field_of(event, 9)->value;
    if (type == 1) trace.begun.push_back(field_of(event, 23)->bytes);
    if (type == 2) ++trace.ended;
    if (type != 4) continue;
    std::uint64_t& largest = trace.largest[trace.tracks.at(field_of(event, 11)->value)];
    largest = std::max(largest, field_of(event, 30)->value);
  }
  return trace;
}

TEST(PerfettoTrace, HasASliceForEachNodeAndCountersThatReachThePeaks) {
  const auto study = blocks();
  const ReadTrace trace = read_trace(perfetto_trace(*study, AllocatorSettings()));
  const Variant& variant = *study->current;
  ASSERT_EQ(trace.begun.size(), variant.timeline.order.size());
  EXPECT_EQ(trace.ended, trace.begun.size());
  EXPECT_TRUE(trace.is_in_order);
  for (std::size_t slot = 0; slot < trace.begun.size(); ++slot) {
    EXPECT_EQ(trace.begun[slot],
              shown_name(study->graph(), variant.dataflow, variant.timeline.order[slot]));
  }
  const ReservedMemory reserved = reserved_memory(*study, variant, AllocatorSettings());
  EXPECT_EQ(trace.largest.at("live bytes"),
            static_cast<std::uint64_t>(variant.timeline.peak_bytes));
  EXPECT_EQ(trace.largest.at("reserved bytes"),
            static_cast<std::uint64_t>(reserved.reserved_bytes));
  EXPECT_FALSE(read_trace(perfetto_trace(*study, std::nullopt)).largest.contains("reserved bytes"));
}

TEST(SlotTimes, EndWithTheSecondsOfTheStep) {
  const auto study = blocks();
  const std::vector<double> starts = slot_starts(*study, *study->current);
  EXPECT_EQ(starts.size(), study->current->timeline.order.size() + 1);
  EXPECT_NEAR(starts.back(), step_seconds(*study, *study->current), 1e-9);
}

TEST(MappedMemory, DifferencesAreTheGapsOfTheOther) {
  const std::vector<MappedMemory> all = {{100, 50}, {200, 100}};
  const std::vector<MappedMemory> some = {{110, 10}, {190, 30}, {290, 10}};
  const std::vector<MappedMemory> missing = missing_in(some, all);
  ASSERT_EQ(missing.size(), 3U);
  EXPECT_EQ(missing[0].address, 100);
  EXPECT_EQ(missing[0].bytes, 10);
  EXPECT_EQ(missing[1].address, 120);
  EXPECT_EQ(missing[1].end(), 150);
  EXPECT_EQ(missing[2].address, 220);
  EXPECT_EQ(missing[2].end(), 290);
  EXPECT_TRUE(missing_in(all, all).empty());
}

}  // namespace export_files_test
}  // namespace stashscope
