#include "ui/charts/step_keys.h"

#include <QCoreApplication>
#include <limits>

#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

/// Share of the view by which Page up and Page down pan.
constexpr double page = 0.8;
/// More slots than any chart has, but few enough that adding this number to a slot causes no
/// overflow.
constexpr std::ptrdiff_t all_steps = std::numeric_limits<std::int32_t>::max();

/// Translation context of the action names below.
struct StepKeyTexts {
  Q_DECLARE_TR_FUNCTIONS(StepKeyTexts)
};

}  // namespace

void add_step_keys(QWidget& chart, const StepKeys& keys) {
  const auto add_move = [&](const QString& text, const QKeySequence& key, std::ptrdiff_t by) {
    add_key_action(chart, text, {key}, [move = keys.move, by] { move(by); });
  };
  add_move(StepKeyTexts::tr("Previous slot"), Qt::Key_Left, -1);
  add_move(StepKeyTexts::tr("Next slot"), Qt::Key_Right, 1);
  add_move(StepKeyTexts::tr("Ten slots back"), Qt::SHIFT | Qt::Key_Left, -10);
  add_move(StepKeyTexts::tr("Ten slots forward"), Qt::SHIFT | Qt::Key_Right, 10);
  add_move(StepKeyTexts::tr("First slot"), Qt::Key_Home, -all_steps);
  add_move(StepKeyTexts::tr("Last slot"), Qt::Key_End, all_steps);
  add_key_action(chart, StepKeyTexts::tr("Zoom in"), {Qt::Key_Plus},
                 [zoom = keys.zoom] { zoom(zoom_step); });
  add_key_action(chart, StepKeyTexts::tr("Zoom out"), {Qt::Key_Minus},
                 [zoom = keys.zoom] { zoom(1 / zoom_step); });
  add_key_action(chart, StepKeyTexts::tr("Pan to the left"), {Qt::Key_PageUp},
                 [pan = keys.pan] { pan(-page); });
  add_key_action(chart, StepKeyTexts::tr("Pan to the right"), {Qt::Key_PageDown},
                 [pan = keys.pan] { pan(page); });
  add_key_action(chart, StepKeyTexts::tr("Show the whole step"), {Qt::Key_0}, keys.show_all);
  chart.setContextMenuPolicy(Qt::ActionsContextMenu);
}

}  // namespace stashscope::ui
