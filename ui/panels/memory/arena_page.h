#pragma once

#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"
#include "ui/memory/arena_map.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui {

/// The static arena of the current step, below a line of text about it. The arena is computed on
/// another thread, and only while the page is visible. Until it is computed, the previous arena
/// stays, dimmed. If there is no arena at all, a text says why.
class ArenaPage : public QWidget {
  Q_OBJECT

 public:
  explicit ArenaPage(Document& document, QWidget* parent = nullptr);

  ArenaMap& map() { return *map_; }
  /// Shows the arena of another study.
  /// @param curves the curves of the document's study; if there is no study, `curves.study` is null
  void set_curves(const MemoryCurves& curves);
  /// Outlines a tensor, as soon as the arena of the step is there.
  /// @param buffer of the current variant; invalid: none
  void mark(BufferId buffer);
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
  /// Starts computing the arena of the step, if the page is visible and this was not done yet.
  void ask();
  void take(std::optional<Placed> answer);
  void show_arena();
  void follow_cursor();
  /// Whether the map shows an earlier arena until the arena of the step is computed.
  bool is_waiting() const;
  void show_sums();
  QString state_text() const;

  Document& document_;
  ArenaMap* map_;
  ElidedLabel* line_;
  QLabel* state_;
  MemoryCurves curves_;
  std::shared_ptr<const Variant> asked_;  ///< the variant of `placed_` or of the running job
  Placed placed_;
  std::optional<Failure> failure_;  ///< why there is no arena of `asked_`
  BufferId marked_;
  LatestAnswer<Placed> answers_{*this, JobThread::Urgency::normal};
};

}  // namespace stashscope::ui
