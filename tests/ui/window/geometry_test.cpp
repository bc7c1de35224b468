// What the window shows at the sizes of common screens: nothing overlaps, no control and no name in
// a main column is cut, and the plan table has enough rows.

#include <QAbstractButton>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QListView>
#include <QStatusBar>
#include <QStyleOptionComboBox>
#include <QStyleOptionHeader>

#include "tests/ui/support/window_test.h"
#include "ui/models/alive_model.h"
#include "ui/models/module_model.h"
#include "ui/models/order_model.h"
#include "ui/models/plan_tree_model.h"
#include "ui/panels/compare/compare_panel.h"
#include "ui/theme/theme.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/name_delegate.h"

namespace stashscope::ui::test {
namespace geometry_test {

using namespace Qt::StringLiterals;

/// Logical pixels; the last one is a screen of 3840 x 2160 at 200 %.
constexpr QSize screens[] = {{1366, 768}, {1600, 1000}, {2560, 1440}, {1920, 1080}};
constexpr int least_plan_rows = 9;

bool is_seen(const QWidget& widget) {
  // The content of a scroll area covers the area itself.
  const auto* const area = qobject_cast<const QAbstractScrollArea*>(&widget);
  const QWidget& seen = area == nullptr ? widget : *area->viewport();
  return seen.isVisible() && !seen.visibleRegion().isEmpty();
}

QString name_of_widget(const QWidget& widget) {
  const QString name =
      widget.objectName().isEmpty() ? widget.parentWidget()->objectName() : widget.objectName();
  return u"%1 %2"_s.arg(QString::fromLatin1(widget.metaObject()->className()), name);
}

QRect place(const QWidget& widget) { return {widget.mapToGlobal(QPoint(0, 0)), widget.size()}; }

/// Whether the widget shows a text or takes input itself.
bool is_control(const QWidget& widget) {
  return qobject_cast<const QLabel*>(&widget) != nullptr ||
         qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
         qobject_cast<const QLineEdit*>(&widget) != nullptr ||
         qobject_cast<const QComboBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
         qobject_cast<const QAbstractItemView*>(&widget) != nullptr;
}

int text_width(const QWidget& widget, const QString& text) {
  return widget.fontMetrics().horizontalAdvance(text);
}

/// Whether a control is too narrow for its text.
bool is_cut(const QWidget& widget) {
  if (const auto* const label = qobject_cast<const QLabel*>(&widget)) {
    return qobject_cast<const ElidedLabel*>(label) == nullptr && !label->wordWrap() &&
           label->width() < label->sizeHint().width();
  }
  if (const auto* const button = qobject_cast<const QAbstractButton*>(&widget)) {
    return !button->text().isEmpty() && button->width() < button->minimumSizeHint().width();
  }
  if (const auto* const box = qobject_cast<const QComboBox*>(&widget)) {
    QStyleOptionComboBox option;
    option.initFrom(box);
    const QRect field = box->style()->subControlRect(QStyle::CC_ComboBox, &option,
                                                     QStyle::SC_ComboBoxEditField, box);
    return field.width() < text_width(*box, box->currentText());
  }
  if (const auto* const line = qobject_cast<const QLineEdit*>(&widget)) {
    return line->width() < text_width(*line, line->text());
  }
  return false;
}

class Geometry : public WindowTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    apply_theme(*qApp, ThemeChoice::light);
    WindowTest::SetUp();
  }
  void TearDown() override {
    window_.reset();
    qApp->setStyleSheet({});
  }

  std::vector<const QWidget*> seen_controls() {
    std::vector<const QWidget*> controls;
    for (const QWidget* const each : window().findChildren<QWidget*>()) {
      // The views draw on their own widgets, and their tests look for overlaps there.
      const bool is_in_view = window().graph().view().isAncestorOf(each);
      if (is_control(*each) && is_seen(*each) && !is_in_view) controls.push_back(each);
    }
    return controls;
  }

  void expect_no_overlap(const std::string& where) {
    const std::vector<const QWidget*> controls = seen_controls();
    ASSERT_GT(controls.size(), 10U);
    for (std::size_t i = 0; i < controls.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (controls[i]->isAncestorOf(controls[j]) || controls[j]->isAncestorOf(controls[i]))
          continue;
        EXPECT_FALSE(place(*controls[i]).intersects(place(*controls[j])))
            << where << ": " << name_of_widget(*controls[i]).toStdString() << " and "
            << name_of_widget(*controls[j]).toStdString();
      }
    }
  }

  void expect_whole_texts(const std::string& where) {
    for (const QWidget* const each : seen_controls()) {
      EXPECT_FALSE(is_cut(*each)) << where << ": " << name_of_widget(*each).toStdString();
    }
    for (const auto* const each : window().findChildren<QHeaderView*>()) {
      const bool is_table = each->orientation() == Qt::Horizontal && is_seen(*each);
      if (is_table)
        expect_whole_titles(*each, where + " " + each->parent()->objectName().toStdString());
    }
    expect_whole_column<TableView>(u"module_table"_s, ModuleModel::module, where);
    expect_whole_column<PlanTreeView>(u"plan_tree"_s, PlanTreeModel::plan, where);
    for (const int column : {OrderModel::name, OrderModel::peak}) {
      expect_whole_column<TableView>(u"order_table"_s, column, where);
    }
    for (const int column : {AliveModel::bytes, AliveModel::role, AliveModel::life}) {
      expect_whole_column<TableView>(u"alive_table"_s, column, where);
    }
  }

  /// Every column that begins in sight has room for its title.
  static void expect_whole_titles(const QHeaderView& header, const std::string& where) {
    for (int column = 0; column < header.count(); ++column) {
      const int left = header.sectionViewportPosition(column);
      if (header.isSectionHidden(column) || left >= header.viewport()->width()) continue;
      const QString title = header.model()->headerData(column, Qt::Horizontal).toString();
      EXPECT_GE(room_for_title(header, column), text_width(header, title))
          << where << ": " << title.toStdString();
    }
  }

  static int room_for_title(const QHeaderView& header, int column) {
    QStyleOptionHeader option;
    option.initFrom(&header);
    option.rect = {0, 0, header.sectionSize(column), header.height()};
    return header.style()->subElementRect(QStyle::SE_HeaderLabel, &option, &header).width();
  }

  template <class View>
  void expect_whole_column(
      const QString& name, int column, const std::string& where,
      const std::function<bool(const QModelIndex&)>& is_wanted = [](const auto&) { return true; }) {
    View& view = find<View>(name);
    if (!is_seen(view)) return;
    for (int row = 0; row < view.model()->rowCount(); ++row) {
      const QModelIndex index = view.model()->index(row, column);
      if (!view.visualRect(index).intersects(view.viewport()->rect())) continue;
      if (!is_wanted(index)) continue;
      EXPECT_GE(view.visualRect(index).width(),
                view.sizeHintForIndex(index).width() + 2 * CellDelegate::padding)
          << where << ": " << index.data().toString().toStdString();
      EXPECT_GE(view.visualRect(index).left(), 0) << where;
      EXPECT_LE(view.visualRect(index).right(), view.viewport()->width()) << where;
    }
  }

  /// A session of the open model with other plans and an optimizer.
  QString other_session() {
    const Choices before = document().choices();
    Choices choices = before;
    choices.plans.level = 1;
    choices.update.optimizer = "adamw";
    document().choose(choices, u"other choices"_s);
    EXPECT_TRUE(settles());
    const QString file = in_folder(u"other_choices.stashscope"_s);
    document().save_session_as(file);
    EXPECT_TRUE(comes_true([&] { return document().files().session_path() == file; }));
    document().choose(before, u"the first choices"_s);
    EXPECT_TRUE(settles());
    return file;
  }

  void expect_whole_comparison(const std::string& where) {
    // Names of the model can have any length. Elsewhere, what is cut has a tool tip.
    const auto is_own_text = [](const QModelIndex& cell) {
      const bool is_side =
          cell.column() == ComparisonModel::left || cell.column() == ComparisonModel::right;
      return is_side ? cell.data(exact_role).isValid() : !cell.data().toString().contains(u'_');
    };
    for (const int column : {ComparisonModel::group, ComparisonModel::name, ComparisonModel::left,
                             ComparisonModel::right, ComparisonModel::difference}) {
      expect_whole_column<TableView>(u"compare_table"_s, column, where, is_own_text);
    }
    for (const QString& side : {u"compare_left"_s, u"compare_right"_s}) {
      const auto& title = find<ElidedLabel>(side);
      EXPECT_LE(text_width(title, title.shown_form()), title.width())
          << where << ": " << title.shown_form().toStdString();
    }
  }

  /// Every hit in sight begins with its operator, also where its name is cut.
  void expect_operators_in_hits(const QString& search) {
    auto& field = find<QLineEdit>(u"graph_search"_s);
    field.clear();
    field.setFocus();
    QTest::keyClicks(&field, search);
    auto& hits = find<QListView>(u"graph_hits"_s);
    ASSERT_TRUE(hits.isVisible());
    const auto& delegate = dynamic_cast<const NameDelegate&>(*hits.itemDelegate());
    QStyleOptionViewItem option;
    option.initFrom(&hits);
    const int room = hits.viewport()->width() - 2 * CellDelegate::padding;
    for (int row = 0; row < hits.model()->rowCount(); ++row) {
      const QModelIndex index = hits.model()->index(row, 0);
      const QString shown = delegate.text_in(room, option, index);
      EXPECT_LE(text_width(hits, shown), room) << shown.toStdString();
      EXPECT_EQ(shown.section(u' ', 0, 0), index.data().toString().section(u' ', 0, 0));
    }
  }

  int whole_plan_rows() {
    const PlanTreeView& tree = plans();
    int rows = 0;
    for (QModelIndex row = tree.indexAt({0, 0}); row.isValid(); row = tree.indexBelow(row)) {
      if (tree.visualRect(row).bottom() <= tree.viewport()->height()) ++rows;
    }
    return rows;
  }

  void look_at(const QString& model) {
    for (const QSize& screen : screens) {
      window().resize(screen);
      for (const Workspace& each : workspaces()) {
        window().workspaces().choose(QString::fromLatin1(each.id));
        find<QAction>(u"reset_layout"_s).trigger();
        ASSERT_TRUE(settles());
        QTest::qWait(20);
        const std::string where =
            model.toStdString() + " " + std::to_string(screen.width()) + " " + each.id;
        ASSERT_EQ(window().size(), screen) << where;
        expect_no_overlap(where);
        expect_whole_texts(where);
      }
    }
  }
};

TEST_F(Geometry, OfSamples) {
  for (const QString& each : {u"gpt2_tiny"_s, u"lenet"_s}) {
    open(sample(each));
    look_at(each);
  }
}

TEST_P(Geometry, OfModels) {
  const QString path = shared_models() + u'/' + QString::fromLatin1(GetParam());
  if (!QFile::exists(path)) GTEST_SKIP() << path.toStdString() << " is not there";
  open(path);
  look_at(QString::fromLatin1(GetParam()));
}

TEST_P(Geometry, AllOrdersAreInSightOnALaptop) {
  const QString path = shared_models() + u'/' + QString::fromLatin1(GetParam());
  if (!QFile::exists(path)) GTEST_SKIP() << path.toStdString() << " is not there";
  window().resize(screens[0]);
  window().workspaces().choose(u"order"_s);
  open(path);
  QTest::qWait(20);
  const auto& orders = find<TableView>(u"order_table"_s);
  const QModelIndex last = orders.model()->index(orders.model()->rowCount() - 1, 0);
  EXPECT_LE(orders.visualRect(last).bottom(), orders.viewport()->height());
}

TEST_P(Geometry, AComparisonIsWholeOnALaptop) {
  const QString path = shared_models() + u'/' + QString::fromLatin1(GetParam());
  if (!QFile::exists(path)) GTEST_SKIP() << path.toStdString() << " is not there";
  window().resize(screens[0]);
  open(path);
  const QString session = other_session();
  window().workspaces().choose(u"compare"_s);
  find<ComparePanel>(u"compare_panel"_s).open(session);
  const auto& table = find<TableView>(u"compare_table"_s);
  ASSERT_TRUE(comes_true([&] { return table.model()->rowCount() > 3; }));
  QTest::qWait(20);
  expect_no_overlap(GetParam());
  expect_whole_comparison(GetParam());
}

TEST_P(Geometry, HitsOfASearchHaveTheirOperatorsOnALaptop) {
  const QString path = shared_models() + u'/' + QString::fromLatin1(GetParam());
  if (!QFile::exists(path)) GTEST_SKIP() << path.toStdString() << " is not there";
  window().resize(screens[0]);
  open(path);
  for (const QString& each : {u"mul"_s, u"grad"_s}) expect_operators_in_hits(each);
}

TEST_P(Geometry, AtLeastNinePlansAreInSightOnALaptop) {
  const QString path = shared_models() + u'/' + QString::fromLatin1(GetParam());
  if (!QFile::exists(path)) GTEST_SKIP() << path.toStdString() << " is not there";
  window().resize(screens[0]);
  window().workspaces().choose(u"plan"_s);
  open(path);
  QTest::qWait(20);
  const int all = plans().model()->rowCount();
  EXPECT_GE(whole_plan_rows(), std::min(all, least_plan_rows));
}

INSTANTIATE_TEST_SUITE_P(Models, Geometry,
                         testing::Values("full/gpt2_124m_train_fwd.onnx",
                                         "full/resnet50_train_fwd.onnx",
                                         "exported/llama_dynamo/model.onnx",
                                         "exported/swin_dynamo/model.onnx",
                                         "full/gpt2_xl_1.5b_train_fwd.onnx"));

}  // namespace geometry_test
}  // namespace stashscope::ui::test
