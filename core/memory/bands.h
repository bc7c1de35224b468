#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/memory/timeline.h"

namespace stashscope {

/// What memory is used for, in the order in which bands are stacked.
enum class Band : std::uint8_t {
  parameters,
  constants,  ///< and inputs
  optimizer_states,
  gradients,    ///< of parameters
  stashed,      ///< activations that forward makes and backward reads
  activations,  ///< all others, gradients of activations among them
  workspace,    ///< that nodes take while they run; the CPU's kernels take none
};
constexpr std::size_t band_count = 7;

/// Bytes by Band.
using BandBytes = std::array<std::int64_t, band_count>;

std::int64_t& of(BandBytes& bytes, Band band);
std::int64_t of(const BandBytes& bytes, Band band);

/// `optimizer_states`, as reports and programs call it.
std::string_view name_of(Band band);
/// `optimizer states`, for people.
std::string_view title_of(Band band);

/// How many steps of an order belong to the forward pass: up to the last of the nodes that forward
/// leads to, it included; all of them when none is known.
std::size_t forward_slots(const std::vector<NodeId>& order, std::span<const NodeId> forward_ends);

/// The live bytes of each step by band. The bands of a step add up to its live bytes. A buffer that
/// several values share in turn counts for what lives in it at the step.
/// @param forward_slots how many of the steps belong to the forward pass
/// @param yield what the YieldOp returns is a gradient, so never stashed; invalid: there is none
std::vector<BandBytes> bands_by_step(const Dataflow& dataflow, const BufferRules& rules,
                                     const Timeline& timeline, std::size_t forward_slots,
                                     NodeId yield);

/// The band that each buffer is drawn in when it is drawn as one: the one it is in for its most
/// important value, where gradients come before stashed activations, those before all others.
IdVector<BufferId, Band> band_of_buffers(const Dataflow& dataflow, const BufferRules& rules,
                                         const Timeline& timeline, std::size_t forward_slots,
                                         NodeId yield);

/// By step, the bytes of a band and of all bands below it: its upper edge in a stacked chart.
std::vector<std::int64_t> stacked(const std::vector<BandBytes>& bands, Band band);

}  // namespace stashscope
