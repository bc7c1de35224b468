#pragma once

#include "ui/document/document.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// The table of the user's choices. Row 0 is the state in which the model was opened; each other
/// row is an entry of the undo stack. A row has the peak of its state once the peak is computed.
class HistoryModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { choice, peak, change };

  explicit HistoryModel(Document& document, QObject* parent = nullptr);

  /// The row of the current choices.
  int current_row() const { return document_.undo_stack().index(); }
  const Choices& choices_at(int row) const;
  /// The name of a row's choice.
  QString name_at(int row) const;

 protected:
  int rows() const override { return rows_; }
  QVariant cell(int row, int column, int role) const override;

 private:
  struct KnownPeak {
    Choices choices;
    std::int64_t bytes = 0;
  };

  void show_stack();
  void learn_peak();
  std::optional<std::int64_t> peak_at(int row) const;
  QString text(int row, int column) const;

  Document& document_;
  int rows_ = 0;
  std::vector<KnownPeak> known_;
};

}  // namespace stashscope::ui
