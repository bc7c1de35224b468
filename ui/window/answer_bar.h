#pragma once

#include <QPushButton>
#include <QTimer>
#include <QToolBar>

#include "core/study/facts/step_room.h"
#include "core/study/search/largest_fit.h"
#include "core/study/search/next_moves.h"
#include "ui/document/document.h"
#include "ui/jobs/latest_answer.h"
#include "ui/widgets/link_label.h"

namespace stashscope::ui {

/// Shows the peak, whether the peak fits into the device's memory, and the time of the nodes. One
/// button searches for a plan that fits, and one sets the largest number of samples that fits. Each
/// further button makes a move: it switches on one plan, pass or what-if. The bar offers the moves
/// that lower the peak by the most bytes for each second that they add.
class AnswerBar : public QToolBar {
  Q_OBJECT

 public:
  explicit AnswerBar(Document& document, QWidget* parent = nullptr);

  /// Whether no search is running or about to start.
  bool is_settled() const {
    return !is_refreshing_ && !quiet_.isActive() && !search_.is_busy() && !fit_search_.is_busy();
  }

 Q_SIGNALS:
  /// The user wants a plan whose peak fits into the memory of the device.
  void fit_wanted();
  /// The user wants to choose another device or optimizer.
  /// @param at global screen position at which the menu opens
  void device_wanted(const QPoint& at);
  void optimizer_wanted(const QPoint& at);
  /// The user wants to change passes and what-ifs.
  void passes_wanted(const QPoint& at);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  static constexpr std::size_t most_moves = 3;
  /// The Qt property in which a button or an action keeps the text of its offer, without the price.
  static constexpr const char* offer_name = "offer";

  QPushButton* add_button(const QString& name);
  /// The buttons that have an effect now, the most important first.
  std::vector<QPushButton*> offered() const;
  /// Shows the buttons that are offered, and lists them in the command palette.
  void show_offers();
  QAction* new_action(const QString& offer);
  void drop_moves();
  /// Ends the search for offers, and carries out the offer that the user wanted meanwhile.
  void end_refresh();
  /// The button of an offer; null if it is not offered now.
  QPushButton* button_of(const QString& offer) const;
  /// Carries out an offer that the user chose in the command palette. If the offer is not known
  /// yet, does so once the search for offers has ended.
  void carry_out(const QString& offer);
  void take_study();
  void take_basis(const Study& study, std::optional<std::int64_t> reserved_bytes);
  void forget_room();
  void show_study();
  void show_answer(const Study& study);
  void show_changes(const Study& study);
  void follow_link(const QString& link);
  void look_for_moves();
  void show_moves(const std::vector<NextMove>& moves);
  void apply(std::size_t move);
  QString words_of(const NextMove& move) const;
  /// Searches for the largest number of samples that fits into the memory of the device.
  void look_for_samples();
  void show_samples(const LargestFit& fit);
  void use_samples();
  /// Shows the longest form of the answer that fits. The bar reserves the width of the answer until
  /// another model is opened, or the device, the font or the theme changes, so that the buttons
  /// behind the answer stay in place. If too little width is left for the first buttons, the answer
  /// gives up reserved width that it does not need.
  void fit_answer();
  /// Width that the answer and the buttons share.
  int shared_width() const;
  /// Width of the first buttons: the plan that fits, the number of samples and the first move. The
  /// answer gives up reserved width rather than push these buttons out.
  int width_of_first_buttons() const;
  int width_of_fit() const;
  int width_of_form(const QString& form);
  int width_of_changes(const QString& form);
  int room_for_percent() const;
  /// The number of offered buttons up to the first move, this move included. These buttons get
  /// their room before `changes_` does.
  std::size_t buttons_before_changes() const;
  /// The buttons that are offered and have room.
  std::vector<QPushButton*> buttons_with_room();
  int room_beside(const std::vector<QPushButton*>& buttons) const;
  /// Shows the longest form of `changes_` that has room beside the buttons.
  void fit_changes(const std::vector<QPushButton*>& buttons);
  void keep_height();
  /// Shows the answer, and as many of the buttons that are offered as there is room for.
  void fit_moves();

  Document& document_;
  StepRoom room_;  ///< of the shown study
  /// The device on which the node times of the shown study were measured; empty: predicted times.
  std::string timed_on_;
  LinkLabel* answer_;
  QStringList forms_;          ///< the answer in words, from the longest form to the shortest
  QStringList shorter_forms_;  ///< forms that leave parts of the answer to its tip, longest first
  int answer_room_ = 0;        ///< width in pixels reserved for the answer; 0: not set
  LinkLabel* changes_;         ///< the passes and what-ifs that are on
  QStringList change_forms_;   ///< texts for `changes_`, from the longest to the shortest
  QWidget* gap_;               ///< fills the reserved width that the answer does not need
  QPushButton* fit_;
  QPushButton* samples_;
  std::optional<LargestFit> largest_;  ///< for the study `moves_of_`; null: not offered
  std::vector<QPushButton*> buttons_;
  std::vector<NextMove> moves_;
  std::shared_ptr<const Study> moves_of_;  ///< the study that `moves_` start from
  std::vector<std::string> names_;         ///< `plan_names` of the study `moves_of_`
  bool is_refreshing_ = false;  ///< the offers for the shown step are still being searched for
  QString wanted_;              ///< offer to carry out once it is known; empty: none
  QTimer quiet_;                ///< delay between a new study and the search for moves
  LatestAnswer<std::vector<NextMove>> search_{*this, JobThread::Urgency::background};
  LatestAnswer<LargestFit> fit_search_{*this, JobThread::Urgency::background};
};

}  // namespace stashscope::ui
