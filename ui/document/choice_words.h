#pragma once

#include <QStringList>

#include "core/study/facts/named_sizes.h"
#include "core/study/reserved/device_memory.h"

namespace stashscope::ui {

/// Whether PyTorch ran the step. If so, the user cannot choose an order, fused groups or passes,
/// and cannot start a run. False for a null study.
bool is_captured(const Study* study);
/// Whether the step updates its parameters by itself. If so, the user cannot choose an optimizer.
bool has_own_optimizer(const Study& study);

/// A text such as `no optimizer` or `with adam`. For a captured step with an optimizer, the text is
/// `with its own optimizer`.
QString optimizer_text(const Study& study);

/// The passes that are on, the what-ifs that change the model, such as `Flash attention`, and mixed
/// precision, in the order of the menu.
QStringList graph_changes(const Study& study);

/// A text such as `5.20 GiB, 1.10 GiB of it fragmentation`.
QString reserved_text(const ReservedMemory& memory);

/// A text such as `5.50 GiB to 5.90 GiB of the device`.
QString device_memory_text(const DeviceMemory& memory);

/// Says, as rich text with a link, that the plans of an ONNX model are not for the PyTorch script
/// that the model came from.
QString runtime_hint();

/// The result of `word_of` for a size, translated: a word such as `batch`, or the name of the
/// dimension if its unit is unknown.
QString word_text(const NamedSize& size);

/// A text such as `batch (inputs_input_ids_dim0)`; only the name of the dimension if there is no
/// other word for the size.
QString full_text(const NamedSize& size);
QString full_text(const Study& study, const Dimension& dimension);
/// The word of the dimension's size, or the name of the dimension if the size has no word.
QString word_text(const Study& study, const Dimension& dimension);

}  // namespace stashscope::ui
