#pragma once

#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"
#include "ui/memory/arena_map.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui {

/// The static arena of the current step below a line about it. The arena is computed on another
/// thread, and only while the page is visible. While there is none, a text says why.
class ArenaPage : public QWidget {
  Q_OBJECT

 public:
  explicit ArenaPage(Document& document, QWidget* parent = nullptr);

  ArenaMap& map() { return *map_; }
  /// Follows the study. @param curves of the document's study; empty: there is no study
  void set_curves(const MemoryCurves& curves);
  void mark(BufferId buffer) { map_->mark(buffer); }
  BufferId marked() const { return map_->marked(); }
  /// Whether no arena is being computed.
  bool is_settled() const { return !answers_.is_busy(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// An arena with the looks of its pieces.
  struct Placed {
    std::shared_ptr<const StepArena> arena;
    std::shared_ptr<const std::vector<BlockLook>> looks;
  };

  static Placed placed(const Study& study, const Progress& progress);
  /// Computes the arena, if the page is visible and has none of the step.
  void ask();
  void take(std::optional<Placed> answer);
  void show_arena();
  void show_sums();
  QString state_text() const;

  Document& document_;
  ArenaMap* map_;
  ElidedLabel* line_;
  QLabel* state_;
  MemoryCurves curves_;
  std::shared_ptr<const Variant> asked_;  ///< the variant of `placed_` or of the running search
  Placed placed_;
  bool has_failed_ = false;
  LatestAnswer<Placed> answers_{*this, JobThread::Urgency::normal};
};

}  // namespace stashscope::ui
