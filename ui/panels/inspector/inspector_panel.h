#pragma once

#include "ui/document/document.h"
#include "ui/panels/inspector/details_view.h"
#include "ui/panels/inspector/inspector_page.h"

namespace stashscope::ui {

/// Shows details of the selected node, tensor or group, or of the model if nothing is selected.
/// Links in the text lead to nodes and tensors, or open Python files.
class InspectorPanel : public QWidget {
  Q_OBJECT

 public:
  explicit InspectorPanel(Document& document, QWidget* parent = nullptr);

 Q_SIGNALS:
  /// Requests to select a node and to show it in the graph.
  void node_wanted(stashscope::NodeId node);
  /// Requests to select a tensor that no node makes, and to show its readers in the graph.
  void tensor_wanted(stashscope::ValueId tensor);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void take_selection();
  void show_selection();
  void open_list(ValueId value);
  void follow(const QUrl& link);
  void open_source(const QUrl& link);

  Document& document_;
  DetailsView* page_;
  OpenedLists opened_;  // lists of the shown selection that the user asked for
};

}  // namespace stashscope::ui
