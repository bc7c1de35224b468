#pragma once

#include <QWidget>
#include <optional>

#include "ui/graph/label_placer.h"
#include "ui/pictures/picture.h"

namespace stashscope::ui {

class Minimap;
struct Theme;

/// The graph on the screen. Dragging moves the graph, the wheel zooms, and signals report clicks.
/// A click on the mark of a group opens or closes the group.
/// The arrow keys walk from box to box, Return opens and closes groups, Escape ends isolation.
class GraphView : public QWidget, public PictureSource {
  Q_OBJECT

 public:
  explicit GraphView(QWidget* parent = nullptr);

  /// Shows a picture; null empties the view. If the picture is of another model, or if a choice
  /// such as a pass changed the graph, the camera shows the beginning of the graph. Otherwise the
  /// camera stays where the user moved it. If the user last chose to see the whole graph, the
  /// camera shows the whole new graph. A group that was opened or closed keeps its place on the
  /// screen.
  void set_picture(std::shared_ptr<const GraphPicture> picture);
  /// The scene of the shown picture; null without a picture.
  const GraphScene* scene() const { return scene_.get(); }
  void set_selection(const Selection& selection);
  void colour_by(layout::Colouring colouring);
  layout::Colouring colouring() const { return colouring_; }
  /// The name of the selection, for screen readers; empty without a selection.
  QString selected_name() const;
  /// Fades boxes that are more than `hops` tensors away from the selection. Empty: fades no box.
  void isolate(std::optional<int> hops);
  const std::optional<int>& isolation() const { return isolation_; }
  /// Fades everything that has no tensor in memory at a slot. Without a slot, only `isolate` fades
  /// items.
  void show_alive_at(std::optional<std::size_t> slot);
  const std::optional<std::size_t>& alive_at() const { return alive_at_; }
  /// Shows text across the top of the view, for example why something is not shown. Empty: no text.
  void set_notice(const QString& notice);
  const QString& notice() const { return notice_; }

  /// The texts that are in view now.
  GraphTexts texts() const;

  const Camera& camera() const { return camera_; }
  /// Shows the whole graph, also after the view was resized, until the user moves the camera.
  void fit();
  void zoom_by(double factor);
  /// Makes the texts larger by a factor. A graph that is shown as a whole still fits into the view.
  void scale_texts(double factor);
  void center_on(QPointF point);
  /// Moves the box that shows a node into view.
  void reveal(NodeId node);
  /// Moves the box that shows a node into view, and zooms in if the node is inside a block.
  void reveal_closely(NodeId node);

  /// The box of the selected group, or of the open group around the selection. Empty without a
  /// selection, or if no group holds the whole selection.
  std::optional<std::uint32_t> selected_group() const;
  /// The part of the picture that is in view.
  QRectF seen() const;
  /// If a part of the picture is wider than the view, zooms out until the part fits into the view.
  /// Does nothing while the view shows the whole graph or its beginning.
  void keep_in_view(const QRectF& part);
  /// Opens or closes the group that `selected_group` returns, if there is one.
  void toggle_selected();
  /// Screen position for a menu about the selection.
  QPoint menu_place() const;

  QSize sizeHint() const override { return {640, 480}; }

  /// The isolated part, or the whole graph, not only the part in view.
  Picture picture(const QString& title) override;
  /// A table of the nodes of the current step, including the nodes inside closed groups.
  PictureData picture_data() override;

 Q_SIGNALS:
  void node_clicked(stashscope::NodeId node);
  void group_clicked(stashscope::layout::GroupId group, stashscope::layout::Side side);
  void toggle_wanted(stashscope::layout::GroupId group);
  /// @param bundle index in the bundles of `GraphScene::shown`
  void bundle_clicked(std::uint32_t bundle);
  void nothing_clicked();
  /// Requests the menu about the selection at a screen position.
  void menu_wanted(QPoint place);
  void isolation_changed();
  void camera_changed();

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void changeEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  /// A group box that keeps its place on the screen while the picture around it changes.
  struct Held {
    layout::GroupId group;
    layout::Side side = layout::Side::forward;
    QPointF screen;
  };

  /// The part of the picture that the camera shows: its beginning, the whole picture, or the part
  /// to which the user or a selection moved the camera (`by_hand`).
  enum class Framing { beginning, whole, by_hand };

  /// The item at a point: either a box or a bundle, or nothing.
  struct Found {
    std::optional<std::uint32_t> box;
    std::optional<std::uint32_t> bundle;
  };

  Found found_under(QPointF screen) const;
  std::optional<std::uint32_t> widened_under(QPointF screen) const;
  std::optional<std::uint32_t> first_marked_box() const;
  bool holds(std::uint32_t outer, std::uint32_t box) const;
  std::optional<std::uint32_t> neighbour(std::uint32_t box, Qt::Key direction) const;
  Camera first_view() const;
  /// Points the camera at the part that `framing_` names. With `by_hand`, the camera stays where it
  /// is.
  void frame();
  void set_camera(const Camera& camera);
  void keep_in_place(const GraphScene& before);
  void mark();
  void click(std::uint32_t box);
  void click(const Found& found);
  bool is_marked(const Found& found) const;
  void toggle(std::uint32_t box);
  void zoom_around(std::uint32_t box, double least);
  /// Centres a box horizontally if it is out of view to the left or right, and vertically if it is
  /// out of view above or below. A box is in view if it is at least `margin` pixels away from the
  /// edges of the view.
  void show_box(const QRectF& box, double margin);
  void walk(Qt::Key direction);
  void add_keys();
  /// Moves the view over the picture by pixels, to the right and down.
  void pan(QPointF by);
  void hover(QPointF screen);
  void set_hovered(std::optional<std::uint32_t> box);
  void paint_notice(QPainter& painter, const Theme& theme) const;

  std::unique_ptr<GraphScene> scene_;
  Selection selection_;
  layout::Colouring colouring_ = layout::Colouring::lifetime;
  std::optional<int> isolation_;
  std::optional<std::size_t> alive_at_;
  Camera camera_;
  Framing framing_ = Framing::beginning;
  std::optional<Held> held_;
  std::optional<std::uint32_t> hovered_;
  GraphTexts painted_;  ///< the texts that were painted last
  QString notice_;
  QPointF pressed_at_;
  QPointF dragged_to_;
  bool dragging_ = false;
  bool double_clicked_ = false;  ///< true from a double click until the button is released
  bool toggled_ = false;         ///< whether the last click was on the mark of a group
  Minimap* minimap_;
};

}  // namespace stashscope::ui
