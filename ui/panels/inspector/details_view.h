#pragma once

#include <QTextBrowser>

namespace stashscope::ui {

/// A page whose shortened texts have their full text as a tool tip. Copying to the clipboard takes
/// the full texts. After a change of size, the text is laid out when control returns to the event
/// loop.
class DetailsView : public QTextBrowser {
  Q_OBJECT

 public:
  using QTextBrowser::QTextBrowser;

 protected:
  QMimeData* createMimeDataFromSelection() const override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void lay_out();

  bool is_resized_ = false;  ///< since the last layout
};

}  // namespace stashscope::ui
