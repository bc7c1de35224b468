#pragma once

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QToolButton>

#include "ui/document/document.h"
#include "ui/memory/comparison_chart.h"
#include "ui/models/comparison_model.h"
#include "ui/panels/compare/sizes_row.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/table_view.h"

namespace stashscope::ui {

/// Compares the document with the other side of a comparison: another session or model, or other
/// choices for the document's model. Shows a table of differences, and both memory curves on one
/// chart. The other side is loaded in the background. It does not change with the choices of the
/// document, but can take the document's sizes. Opening another model ends the comparison.
class ComparePanel : public QWidget {
  Q_OBJECT

 public:
  explicit ComparePanel(Document& document, QWidget* parent = nullptr);

  /// Loads the file, then shows the comparison with it. Does nothing for an empty path.
  void open(const QString& path);
  /// Shows the comparison with other choices for the model of the document.
  /// @param name names these choices
  void open_state(const Choices& choices, const QString& name);
  void swap_sides();
  void close_comparison();
  /// Whether a comparison is shown.
  bool is_comparing() const { return other_ != nullptr && shown_; }

 Q_SIGNALS:
  void choice_wanted();  ///< the user wants to choose the file to compare with
  void opened();         ///< the other side was loaded, and the comparison is shown
  void failed(const stashscope::ui::Failure& failure);

 private:
  QWidget* make_invitation();
  QWidget* make_comparison();
  QWidget* make_tools();
  QWidget* make_progress();
  QToolButton* add_tool(const QString& name, const QString& text, const QString& tip);
  /// The other side: a file, or a state of the document's own history.
  struct Other {
    QString path;   ///< session or model file; for a state, that of the document
    QString state;  ///< name of the state; empty: the other side is a file
  };

  void make_other();
  void load(const Other& other, const QString& stage);
  void take_opened();
  void show_state();
  void show_rows();
  void show_titles();
  void show_title(ElidedLabel& label, const QString& side, bool is_here);
  static QString left_text() { return tr("Left"); }
  static QString right_text() { return tr("Right"); }
  /// Gives the other side the sizes of the document. The file of the other side does not change.
  void take_sizes();
  void give_back_sizes();
  void close_for_another_model();
  QString remembered_file() const;

  Document& document_;
  std::unique_ptr<Document> other_;
  ComparisonModel model_;
  QString document_model_;  ///< path of the model of the document
  bool shown_ = false;
  bool swapped_ = false;
  Other shown_other_;
  Other loading_;          ///< what is being loaded as the other side
  SizeChoices own_sizes_;  ///< sizes of the other side as it was opened

  QStackedWidget* pages_;
  QLabel* invitation_;
  QPushButton* again_;
  QWidget* progress_row_;
  QLabel* stage_;
  QProgressBar* progress_;
  ElidedLabel* left_title_;
  ElidedLabel* right_title_;
  QCheckBox* all_;
  SizesRow* sizes_;
  QHBoxLayout* tools_ = nullptr;
  TableView* table_;
  ComparisonChart* chart_;
};

}  // namespace stashscope::ui
