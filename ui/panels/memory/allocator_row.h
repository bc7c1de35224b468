#pragma once

#include <QLabel>
#include <QLineEdit>

#include "ui/document/document.h"
#include "ui/widgets/elided_label.h"

namespace stashscope::ui {

/// The settings of PyTorch's caching allocator as a text, and what the allocator reserves under
/// them. The row is hidden while no allocator is chosen, and while `allow` forbids it. A wrong text
/// stays in the field, with the reason below it, and the choice stays as it was.
class AllocatorRow : public QWidget {
  Q_OBJECT

 public:
  explicit AllocatorRow(Document& document, QWidget* parent = nullptr);

  /// Chooses the allocator with the settings of the field, or no allocator. If the field has a
  /// wrong text, the last settings that were chosen for this model replace it.
  void switch_on(bool on);
  /// Whether the row may be visible.
  void allow(bool is_allowed);

 private:
  void take_text();
  void choose(std::optional<std::string> settings);
  /// Replaces the text of the field.
  void put(const std::string& settings);
  /// If the text is wrong, shows why. Returns whether the text is right.
  bool check_text();
  void show_choice();
  void show_reserved();

  Document& document_;
  QLineEdit* field_;
  ElidedLabel* answer_;
  QLabel* fault_;
  std::optional<std::string> shown_;  ///< the choice that the field was last set to
  std::string last_;  ///< the last chosen settings; kept while no allocator is chosen
  bool is_allowed_ = true;
};

}  // namespace stashscope::ui
