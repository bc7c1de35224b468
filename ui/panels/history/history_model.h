#pragma once

#include "ui/document/document.h"
#include "ui/models/table_model.h"

namespace stashscope::ui {

/// What the user chose, one row for each step that can be undone or redone, after the state in
/// which the model was opened; with the peak that followed, where a study told it.
class HistoryModel : public TableModel {
  Q_OBJECT

 public:
  enum Column { choice, peak, change };

  explicit HistoryModel(Document& document, QObject* parent = nullptr);

  /// The row of the choices in force.
  int current_row() const { return document_.undo_stack().index(); }

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
  const Choices& choices_at(int row) const;
  std::optional<std::int64_t> peak_at(int row) const;
  QString text(int row, int column) const;

  Document& document_;
  int rows_ = 0;
  std::vector<KnownPeak> known_;
};

}  // namespace stashscope::ui
