#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QToolBar>

#include "core/study/search/largest_fit.h"
#include "core/study/search/next_moves.h"
#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"

namespace stashscope::ui {

/// The answers that matter most, always in sight: the peak, whether it fits the device, and the
/// time. Buttons offer the number of samples that fits, and the next best moves: plans to switch
/// on, with their effect.
class AnswerBar : public QToolBar {
  Q_OBJECT

 public:
  explicit AnswerBar(Document& document, QWidget* parent = nullptr);

  /// Whether no search is running or about to start.
  bool is_settled() const {
    return !quiet_.isActive() && !search_.is_busy() && !fit_search_.is_busy();
  }

 Q_SIGNALS:
  /// The user wants a plan that fits this much memory. @param bytes of the device
  void fit_wanted(std::int64_t bytes);
  /// The user wants to choose another device or optimizer. @param at a place for the menu on the
  /// screen
  void device_wanted(const QPoint& at);
  void optimizer_wanted(const QPoint& at);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr std::size_t most_moves = 3;

  QPushButton* add_button(const QString& name);
  void drop_moves();
  void show_study();
  void show_answer(const Study& study);
  void follow_link(const QString& link);
  void look_for_moves();
  void show_moves(const std::vector<NextMove>& moves);
  void apply(std::size_t move);
  /// Looks for the largest number of samples that fits.
  void look_for_samples();
  void show_samples(const LargestFit& fit);
  void use_samples();
  /// Shows as many moves as there is room for.
  void fit_moves();
  void keep_keys();
  void give_keys_back();

  Document& document_;
  QLabel* answer_;
  QPushButton* fit_;
  QPushButton* samples_;
  std::optional<LargestFit> largest_;  ///< of the study `moves_of_`
  std::vector<QPushButton*> buttons_;
  std::vector<NextMove> moves_;
  std::shared_ptr<const Study> moves_of_;  ///< the study that `moves_` start from
  std::vector<std::string> names_;         ///< of its plans, see `plan_names`
  bool keeps_keys_ = false;                ///< the answer has the focus of a button that went away
  QTimer quiet_;                           ///< the search starts when no study follows for a moment
  LatestAnswer<std::vector<NextMove>> search_{*this, JobThread::Urgency::background};
  LatestAnswer<LargestFit> fit_search_{*this, JobThread::Urgency::background};
};

}  // namespace stashscope::ui
