#pragma once

#include <QLabel>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>
#include <vector>

#include "ui/document/document.h"
#include "ui/panels/dimensions/size_box.h"

namespace stashscope::ui {

/// A spin box and a menu for each dimension of the model, and a menu of named sets of sizes.
/// Changes apply at once.
class DimensionsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit DimensionsPanel(Document& document, QWidget* parent = nullptr);

  /// Gives the keyboard focus to the box of a dimension.
  void focus_size(const QString& dimension);

 Q_SIGNALS:
  /// The user wants to see the peak against the size of this dimension.
  void sweep_wanted(const QString& dimension);

 protected:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Row {
    QString name;
    QBoxLayout* layout = nullptr;  ///< the label beside or above the field
    QLabel* label = nullptr;
    QWidget* field = nullptr;  ///< note, value and menu
    SizeBox* value = nullptr;
    QLabel* note = nullptr;
    QToolButton* more = nullptr;
  };

  void show_study();
  void rebuild_with_focus(const std::vector<Dimension>& dimensions);
  QString typed_text() const;
  void clear_rows();
  void rebuild(const std::vector<Dimension>& dimensions);
  QWidget* make_head();
  Row make_row(const Dimension& dimension);
  /// Leads Tab through the sizes, then through their menus.
  void order_tabs();
  /// Gives all boxes one width, enough for the longest size with its unit. Puts the labels above
  /// the fields if a label would be cut beside its field. Keeps the panel wide enough for the
  /// fields, and for labels of up to 26 characters above them.
  void fit_rows();
  SizeBox* make_value(const QString& name);
  void refuse(const SizeBox& box, const QString& typed, bool is_too_large);
  QToolButton* make_more(const QString& name, QWidget& row);
  void update_row(const Row& row, const Dimension& dimension) const;
  QString tip_of(const Dimension& dimension) const;
  void set_dimension(const QString& name, int value);

  Document& document_;
  QScrollArea* scroll_;
  QToolButton* presets_;
  QVBoxLayout* rows_layout_;
  std::vector<Row> rows_;
  std::weak_ptr<const Graph> model_;  ///< the model whose dimensions the rows show
};

}  // namespace stashscope::ui
