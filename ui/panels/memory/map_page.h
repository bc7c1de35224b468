#pragma once

#include <QWidget>

namespace stashscope::ui {

/// Lays out a page that has a line of text above a map, and below both a widget that is shown while
/// there is no map. Takes ownership of all three.
void lay_out_map_page(QWidget& page, QWidget* line, QWidget* map, QWidget* without_map);

}  // namespace stashscope::ui
