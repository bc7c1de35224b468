#pragma once

#include <QPalette>
#include <QStringList>

#include "core/study/facts/step_room.h"
#include "core/study/reserved/allocator_map.h"

namespace stashscope::ui {

/// `+2.1 %` or `−1.0 %`
QString percent_text(double share);

/// Whether the reserved memory by itself fits the device, but not together with the upper estimate
/// for the CUDA context and the workspaces of libraries (`high_bytes` is the sum of both).
/// @param reserved null: no allocator is chosen
bool may_lack_room_outside(const Study& study, const StepRoom& room, const ReservedStep* reserved);

/// Links that open the menu of devices, as rich text. `device_link` shows the name of the device,
/// `short_device_link` only the words "the device".
QString device_link(const Study& study);
QString short_device_link();

/// Whether the step fits the device, as rich text.
/// @param reserved null: no allocator is chosen
/// @param device the words for the device, as rich text
QString room_text(const Study& study, const StepRoom& room, const ReservedStep* reserved,
                  const QPalette& palette, const QString& device);

/// The changes of the graph of the step, as rich text with a link, from the longest form to the
/// shortest: `with A, B, C`, `with A and 2 more`, `with 3 changes`. Empty without changes.
QStringList changes_texts(const QStringList& changes);

/// `no plan frees other activations 1.5 GiB and parameters 475 MiB`
QString floor_text(const StepRoom& room);

/// `698 ms on cpu (+3.9 %)`. Measured times name their device, which may be another one than the
/// device that the step must fit.
QString short_time_text_of(const Study& study);

/// `nodes take 2.4 ms (+3.9 %)`, for measured times `nodes take 2.4 ms on cpu (+3.9 %), measured`.
QString plain_time_text_of(const Study& study);

/// The sum of the node times. The panel Run has this quantity in its row "Time of nodes"; its row
/// "Time of step" has another one.
QString time_text_of(const Study& study);

/// A text that says what the peak and the time include, and what they leave out.
/// @param reserved null: no allocator is chosen
QString answer_tip(const Study& study, const StepRoom& room, const ReservedStep* reserved);

}  // namespace stashscope::ui
