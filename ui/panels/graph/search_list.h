#pragma once

#include <QLineEdit>
#include <QListView>
#include <functional>

namespace stashscope::ui {

/// The hits of a search field as a list below the field. The field keeps the keyboard focus: Up and
/// Down move in the list, Escape closes the list. One hit of an open list is marked.
class SearchList : public QListView {
  Q_OBJECT

 public:
  /// Returns the text of a hit. Called only for rows on the screen.
  using HitText = std::function<QString(int)>;

  /// @param field the list opens below it; must be in `panel`, and outlive the list
  SearchList(QLineEdit& field, QWidget* panel);

  /// Shows other hits. If there are hits, an open list stays open, with the first hit marked.
  void set_hits(int count, HitText text);
  /// Opens the list with a row marked, if there are hits.
  void open(int row = 0);
  /// The marked row; -1 while the list is closed.
  int marked() const { return isVisible() ? currentIndex().row() : -1; }

 Q_SIGNALS:
  void hit_chosen(int row);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  class Hits;

  bool take_key(int key);
  void place();

  QLineEdit& field_;
  Hits* hits_;
};

}  // namespace stashscope::ui
