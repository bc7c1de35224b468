#pragma once

#include "ui/document/document.h"
#include "ui/memory/memory_view.h"

namespace stashscope::ui {

/// Brings the document into the memory curve and its cursor back.
class MemoryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryPanel(Document& document, QWidget* parent = nullptr);

 private:
  void show_study();

  Document& document_;
  MemoryView* view_;
};

}  // namespace stashscope::ui
