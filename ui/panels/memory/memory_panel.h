#pragma once

#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <functional>

#include "ui/document/pinned_variants.h"
#include "ui/memory/memory_view.h"
#include "ui/panels/memory/allocator_row.h"
#include "ui/panels/memory/arena_page.h"
#include "ui/panels/memory/segment_page.h"

namespace stashscope::ui {

/// Shows the memory curves of the document's study and of the pinned variants, and passes the
/// cursor of the memory view to the document. A second page compares a run with its prediction, a
/// third shows the segments of the allocator, a fourth the static arena of the step.
class MemoryPanel : public QWidget {
  Q_OBJECT

 public:
  explicit MemoryPanel(Document& document, QWidget* parent = nullptr);

  /// Whether nothing is being computed for any page.
  bool is_settled() const { return arena_->is_settled(); }

  /// Chooses PyTorch's allocator, or no allocator if one is chosen, as an edit of the user.
  void switch_reserved() { allocator_->switch_on(!document_.choices().allocator); }

 private:
  struct Switch {
    QToolButton* button;
    std::function<bool(const MemoryLook&)> is_on;
  };

  QWidget* make_header();
  QWidget* make_controls();
  /// A checkable button that changes the look of the memory view. @param choose changes the look
  /// @param is_on whether the button is checked for a look; true for exactly one of the `joined`
  /// buttons
  QToolButton* make_switch(const QString& name, const QString& text, const QString& tip,
                           std::function<void(MemoryLook&)> choose,
                           std::function<bool(const MemoryLook&)> is_on);
  QToolButton* make_reserved_switch();
  /// Puts the buttons side by side as one control.
  static QWidget* joined(std::initializer_list<QToolButton*> buttons);
  void show_curves();
  /// Adds the curve of reserved memory, if an allocator is chosen. Reuses the shown curve if it is
  /// the same.
  void add_reserved(MemoryCurves& curves);
  void show_look();
  void follow_selection();
  void show_life();
  void mark_selected();
  BufferId selected_buffer() const;
  void select_tensor(BufferId buffer);
  /// Outlines a tensor on all pages that show single tensors.
  void mark_in_maps(BufferId buffer);
  void take_tensor(std::size_t slot, BufferId buffer);

  Document& document_;
  PinnedVariants pinned_;
  MemoryView* view_;
  QTabBar* tabs_;
  QStackedWidget* pages_;
  AllocatorRow* allocator_;
  SegmentPage* segments_;
  ArenaPage* arena_;
  /// What the shown curve of reserved memory was made from; null: no such curve.
  std::shared_ptr<const ReservedStep> curve_of_;
  QWidget* controls_;
  QWidget* colouring_;
  std::vector<Switch> switches_;
};

}  // namespace stashscope::ui
