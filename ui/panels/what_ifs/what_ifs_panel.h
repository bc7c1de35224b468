#pragma once

#include <QLabel>
#include <QTimer>

#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"
#include "ui/panels/what_ifs/what_if_model.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// The table of what-ifs: what each of them changes in this step. Those that are on come first,
/// then the others, the largest saving at the peak first. A double click or Return on a row
/// switches its what-if on, or off if it is on. The text below the table says what the selected row
/// does and what stops it. The rows are computed in the background while the panel is visible.
class WhatIfsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhatIfsPanel(Document& document, QWidget* parent = nullptr);

  /// Sets whether the panel is visible. Behind another tab, the panel starts no computation.
  void set_seen(bool seen);

 private:
  struct Rows {
    std::vector<WhatIfSaving> on;
    std::vector<WhatIfSaving> offers;
  };

  void start_again();
  void ask();
  void show_rows(const std::shared_ptr<const Study>& study, std::optional<Rows> rows);
  void toggle(const QModelIndex& index);
  void show_details();

  Document& document_;
  WhatIfModel model_;
  TableView* table_;
  QLabel* sequence_note_;  ///< says what is compared while a planned sequence is on
  QLabel* details_;
  QTimer quiet_;
  bool is_seen_ = false;
  std::shared_ptr<const Study> shown_;
  LatestAnswer<Rows> answers_{*this, JobThread::Urgency::background};
};

}  // namespace stashscope::ui
