#include "ui/widgets/peak_link.h"

#include <QCoreApplication>

namespace stashscope::ui {

namespace {

struct PeakLink {
  Q_DECLARE_TR_FUNCTIONS(PeakLink)
};

}  // namespace

QKeySequence peak_key() { return QStringLiteral("Ctrl+P"); }

QToolButton* make_peak_link(const QString& name) {
  auto* const link = new QToolButton;
  link->setObjectName(name);
  link->setText(PeakLink::tr("Back to the peak"));
  link->setToolTip(PeakLink::tr("Moves the memory cursor to the peak (%1)")
                       .arg(peak_key().toString(QKeySequence::NativeText)));
  link->setAutoRaise(true);
  link->setFocusPolicy(Qt::StrongFocus);
  QFont underlined;
  underlined.setUnderline(true);
  link->setFont(underlined);
  link->hide();
  return link;
}

}  // namespace stashscope::ui
