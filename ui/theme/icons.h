#pragma once

#include <QIcon>

namespace stashscope::ui {

/// Simple line icons, drawn in the text colour of the palette at hand.
enum class Icon {
  open,
  save,
  undo,
  redo,
  run,
  stop,
  copy,
  fit,
  zoom_in,
  zoom_out,
  collapse,
  close,
  find,
  list
};

QIcon icon(Icon which);

}  // namespace stashscope::ui
