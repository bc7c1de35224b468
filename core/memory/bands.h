#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/memory/timeline.h"

namespace stashscope {

/// The uses of memory, in stacking order from the bottom.
enum class Band : std::uint8_t {
  parameters,
  gathered_parameters,  ///< parameters that sharded training gathers from all ranks temporarily
  constants,            ///< constants and inputs
  optimizer_states,
  gradients,  ///< gradients of parameters
  stashed,  ///< activations made in forward that backward reads or that autograd holds for backward
  activations,  ///< all other tensors, including gradients of activations
  workspace,    ///< scratch memory that only the running node needs, including the peak of its
                ///< subgraphs
};
constexpr std::size_t band_count = 8;

/// Bytes by Band.
using BandBytes = std::array<std::int64_t, band_count>;

std::int64_t& of(BandBytes& bytes, Band band);
std::int64_t of(const BandBytes& bytes, Band band);

/// The name in reports and JSON, such as `optimizer_states`.
std::string_view name_of(Band band);
/// The name in texts and windows, such as `optimizer states`.
std::string_view title_of(Band band);

/// Number of slots of the forward pass: up to and including the last of `forward_ends`. All slots
/// of the order if the order has none of these nodes.
std::size_t forward_slots(const std::vector<NodeId>& order, std::span<const NodeId> forward_ends);

/// The bytes of the buffers that are alive at each slot, by band; workspace is not counted. A
/// buffer that several values share one after another belongs to the band of the value alive at the
/// slot.
/// @param forward_slots number of slots of the forward pass
/// @param yield the YieldOp, whose outputs are gradients and never stashed; invalid: none
std::vector<BandBytes> bands_by_slot(const Dataflow& dataflow, const BufferRules& rules,
                                     const Timeline& timeline, std::size_t forward_slots,
                                     NodeId yield);

/// One band for each buffer, which gives the buffer a single colour. The buffer of a state that an
/// optimizer adds to the step has the band `optimizer_states`. Any other buffer that exists before
/// the step has the band that the role of its first value gives. A buffer that a node allocates has
/// the first of these bands that one of its values has: `gradients`, `optimizer_states`,
/// `gathered_parameters`, `stashed`, `activations`.
IdVector<BufferId, Band> band_of_buffers(const Dataflow& dataflow, const BufferRules& rules,
                                         const Timeline& timeline, std::size_t forward_slots,
                                         NodeId yield);

/// The band of each buffer at a slot, as in `bands_by_slot`; arbitrary for buffers that are not
/// alive at the slot.
IdVector<BufferId, Band> bands_at(const Dataflow& dataflow, const BufferRules& rules,
                                  const Timeline& timeline, std::size_t forward_slots, NodeId yield,
                                  std::size_t slot);

/// The band of a buffer in the slots [from, until].
struct BandSpan {
  Band band = Band::activations;
  std::uint32_t from = 0;
  std::uint32_t until = 0;

  friend bool operator==(const BandSpan&, const BandSpan&) = default;
};

/// The bands of each buffer over its life, as in `bands_by_slot`: one span for most buffers,
/// several for a buffer that values of different bands use one after another.
IdVector<BufferId, std::vector<BandSpan>> band_spans(const Dataflow& dataflow,
                                                     const BufferRules& rules,
                                                     const Timeline& timeline,
                                                     std::size_t forward_slots, NodeId yield);

/// The band of a buffer at a slot; `activations` if the buffer is not alive there.
/// @param spans the bands of the buffer over its life
Band band_at(std::span<const BandSpan> spans, std::size_t slot);

/// By slot, the sum of a band and all bands below it: its upper edge in a stacked chart.
std::vector<std::int64_t> stacked(const std::vector<BandBytes>& bands, Band band);

}  // namespace stashscope
