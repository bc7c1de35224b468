// The search for nodes, and for tensors that no node makes, in the graph.

#include <QEvent>
#include <algorithm>

#include "core/graph/node_path.h"
#include "core/study/choices/node_names.h"
#include "core/study/facts/given_tensors.h"
#include "core/study/facts/node_facts.h"
#include "core/study/facts/opened_operator.h"
#include "core/study/facts/tensor_facts.h"
#include "ui/panels/graph/graph_panel.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

/// Module names join their parts by dots, and names of nodes and tensors by slashes. With dots in
/// all names, one search text finds both.
QString with_dots(QString name) { return name.replace(u'/', u'.'); }

/// Compares the names in a study with a search text.
class Matcher {
 public:
  Matcher(const Study& study, const QString& wanted) : study_(study), wanted_(with_dots(wanted)) {}

  bool has_text(const QString& name) const {
    return with_dots(name).contains(wanted_, Qt::CaseInsensitive);
  }
  bool has_text(const std::string& name) const { return has_text(shown(name)); }
  /// Whether the node has the text in its own name, operator or module.
  bool finds(NodeId node) const {
    const NodeId id = study_.current->dataflow.origin(node);
    const Node& original = study_.graph().node(id);
    return has_text(original.name) || has_text(original.op_type) ||
           has_text(opened_operator(study_, id)) || has_text(module_of(original));
  }
  /// The first tensor that the node makes and that has the text in its name; else invalid.
  ValueId made_by(NodeId node) const {
    const Node& original = study_.graph().node(study_.current->dataflow.origin(node));
    for (const ValueId each : original.outputs) {
      if (each.valid() && has_text(study_.graph().value(each).name)) return each;
    }
    return {};
  }

 private:
  const Study& study_;
  const QString wanted_;
};

}  // namespace

void GraphPanel::search(const QString& text) {
  matches_.clear();
  match_.reset();
  if (document_.study() != nullptr && text.size() >= 2) find_matches(*document_.study());
  matches_label_->setText(text.size() < 2 ? QString() : tr("%1 found").arg(matches_.size()));
  hits_->set_hits(static_cast<int>(matches_.size()),
                  [this](int row) { return hit_text(static_cast<std::size_t>(row)); });
}

/// Finds the hits. Forward nodes that have the text in their own name, operator or module come
/// first, then the tensors that no node makes, such as weights. The other nodes come last, because
/// names of gradient nodes often contain the name of a weight.
void GraphPanel::find_matches(const Study& study) {
  const Matcher matcher(study, search_->text());
  const std::vector<NodeId>& order = study.current->timeline.order;
  std::vector<SearchHit> others;
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    const NodeId node = order[slot];
    const bool has_name = matcher.finds(node);
    if (has_name && slot < study.current->forward_slots) {
      matches_.push_back({node, {}});
    } else if (has_name || matcher.made_by(node).valid()) {
      others.push_back({node, {}});
    }
  }
  for (const ValueId tensor : given_tensors(study)) {
    if (matcher.has_text(study.graph().value(tensor).name)) matches_.push_back({{}, tensor});
  }
  matches_.insert(matches_.end(), others.begin(), others.end());
}

QString GraphPanel::hit_text(std::size_t hit) const {
  const auto& [node, tensor] = matches_[hit];
  return tensor.valid() ? tensor_text(tensor) : node_text(node);
}

/// The role, name, type and bytes of a tensor that no node makes.
QString GraphPanel::tensor_text(ValueId tensor) const {
  const Study& study = *document_.study();
  const StoredValue stored = stored_value(study, tensor);
  return tr("%1  %2  %3  %4")
      .arg(shown(std::string(name_of(study.prepared->rules.role[tensor]))),
           shown(study.graph().value(tensor).name), shown(sized_type_text(study, stored.type)),
           bytes_text(stored.bytes));
}

/// The operator and the name of a node. If the node was found by the name of a tensor, the name of
/// the tensor is appended.
QString GraphPanel::node_text(NodeId node) const {
  const Study& study = *document_.study();
  const Dataflow& dataflow = study.current->dataflow;
  const NodeId original = dataflow.origin(node);
  QString text = tr("%1  %2").arg(shown(opened_operator(study, original)),
                                  shown(shown_name(study.graph(), dataflow, node)));
  const Matcher matcher(study, search_->text());
  if (matcher.has_text(text) || matcher.finds(node)) return text;
  const ValueId made = matcher.made_by(node);
  return made.valid() ? tr("%1  makes %2").arg(text, shown(study.graph().value(made).name)) : text;
}

void GraphPanel::choose_hit(std::size_t hit) {
  if (hit >= matches_.size()) return;
  match_ = hit;
  hits_->hide();
  const auto& [node, tensor] = matches_[hit];
  tensor.valid() ? go_to(tensor) : go_to(node);
  show_hits();
}

/// Shows the number of the selected hit, even if it was selected in another view. If no hit is
/// selected, shows how many hits there are.
void GraphPanel::show_hits() {
  if (matches_.empty()) return;
  const Selection& selected = document_.selection().current();
  const auto found = std::ranges::find(matches_, SearchHit{selected.node, selected.tensor});
  if (found == matches_.end()) {
    return matches_label_->setText(tr("%1 found").arg(matches_.size()));
  }
  match_ = static_cast<std::size_t>(found - matches_.begin());
  matches_label_->setText(tr("%1 of %2").arg(*match_ + 1).arg(matches_.size()));
}

/// Goes to the marked hit of the open list. If this hit is already selected, or the list is closed,
/// goes to the next hit.
void GraphPanel::go_to_hit() {
  const int marked = hits_->marked();
  const bool is_new = marked >= 0 && (!match_ || *match_ != static_cast<std::size_t>(marked));
  if (is_new) return choose_hit(static_cast<std::size_t>(marked));
  find_next(1);
}

void GraphPanel::find_next(int direction) {
  if (matches_.empty()) return;
  const auto count = std::ssize(matches_);
  const auto from = match_ ? static_cast<std::ptrdiff_t>(*match_) : direction > 0 ? -1 : 0;
  choose_hit(static_cast<std::size_t>((from + direction + count) % count));
}

/// A click on the number of hits lists them.
bool GraphPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == matches_label_ && event->type() == QEvent::MouseButtonPress) {
    search_->setFocus();
    hits_->open(match_ ? static_cast<int>(*match_) : 0);
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace stashscope::ui
