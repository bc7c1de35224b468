#pragma once

#include <QIcon>

namespace stashscope::ui {

/// Simple line icons in the text colour of the current palette.
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
  list,
  peak
};

QIcon icon(Icon which);

}  // namespace stashscope::ui
