#include "ui/widgets/runtime_hint.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

RuntimeHint::RuntimeHint(QWidget* parent) : LinkLabel(parent) {
  setObjectName(u"runtime_hint"_s);
  setTextFormat(Qt::RichText);
  setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setForegroundRole(QPalette::PlaceholderText);
  setWordWrap(true);
  QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Minimum);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  setText(
      tr("Plans and passes are for ONNX Runtime or the saved model. For a PyTorch script, "
         "<a href=\"capture\">capture its step</a>."));
  setToolTip(tr("Shows how to capture a step of a PyTorch script, and how its plans are applied"));
  connect(this, &QLabel::linkActivated, this, &RuntimeHint::help_wanted);
}

}  // namespace stashscope::ui
