#pragma once

#include <QMenu>
#include <functional>

#include "core/run/devices/devices.h"
#include "ui/document/choice_words.h"
#include "ui/document/document.h"

namespace stashscope::ui {

/// A menu whose entries show and change the document's choices.
class ChoiceMenu : public QMenu {
  Q_OBJECT

 public:
  ChoiceMenu(const QString& title, Document& document, QWidget* parent = nullptr);

 protected:
  /// Whether the choice has an effect on the study. The menu is disabled if not.
  virtual bool applies(const Study& study) const;
  /// Adds an entry for a choice. @param name object name of the action
  /// @param is_on whether the entry is ticked for the given choices
  /// @param change applies the entry's choice
  /// @param told returns the text of the undo entry; called with the new state of the entry
  QAction* add_choice(QMenu* menu, const QString& name, const QString& text,
                      std::function<bool(const Choices&)> is_on,
                      std::function<void(Choices&, bool on)> change,
                      std::function<QString(bool on)> told);
  /// Functions that read and set the name of a strategy in the choices.
  struct NamedChoice {
    std::string (*chosen)(const Choices&);
    void (*choose)(Choices&, const std::string&);
  };
  /// Gives an entry a round mark. Of the entries of `menu` with such a mark, at most one is ticked.
  static void make_one_of(QMenu& menu, QAction* action);
  /// Adds an entry for a strategy. @param kind the first part of the action's object name
  /// @param told text of the undo entry, with %1 in place of the strategy's name
  void add_named(const QString& kind, std::string_view name, std::string_view description,
                 const NamedChoice& choice, const QString& told);
  void clear_choices();
  virtual void show_choices();

  Document& document() { return document_; }

 private:
  /// A menu entry for a choice that is on or off.
  struct Entry {
    QAction* action;
    std::function<bool(const Choices&)> is_on;
  };

  Document& document_;
  std::vector<Entry> entries_;
};

/// The menu of the execution orders, each with its peak if the peak is known.
class OrderMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit OrderMenu(Document& document, QWidget* parent = nullptr);

 protected:
  bool applies(const Study& study) const override { return !is_captured(&study); }
  void show_choices() override;
};

class FusionMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit FusionMenu(Document& document, QWidget* parent = nullptr);

 protected:
  bool applies(const Study& study) const override { return !is_captured(&study); }
};

class OptimizerMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit OptimizerMenu(Document& document, QWidget* parent = nullptr);

 protected:
  bool applies(const Study& study) const override { return !has_own_optimizer(study); }
};

/// The menu of the devices that can run the step. The entry of an unavailable device is disabled
/// and states the reason.
class DeviceMenu : public ChoiceMenu {
  Q_OBJECT

 public:
  explicit DeviceMenu(Document& document, QWidget* parent = nullptr);

 protected:
  bool applies(const Study& study) const override { return !is_captured(&study); }

 private:
  void list_devices();
};

}  // namespace stashscope::ui
