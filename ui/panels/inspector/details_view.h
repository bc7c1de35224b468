#pragma once

#include <QTextBrowser>

namespace stashscope::ui {

/// A page whose shortened texts have their full text as a tool tip. Copies have the full texts.
class DetailsView : public QTextBrowser {
  Q_OBJECT

 public:
  using QTextBrowser::QTextBrowser;

 protected:
  QMimeData* createMimeDataFromSelection() const override;
};

}  // namespace stashscope::ui
