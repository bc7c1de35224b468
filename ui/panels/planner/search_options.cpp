#include "ui/panels/planner/search_options.h"

#include <QHBoxLayout>

#include "ui/theme/spacing.h"
#include "ui/widgets/undo_keys.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int most_seconds = 3600;
constexpr int most_seed = 999;

}  // namespace

SearchOptions::SearchOptions(QWidget* parent)
    : QWidget(parent),
      grain_(new QComboBox),
      lossy_(new QCheckBox(tr("May change &results"))),
      seconds_(new QSpinBox),
      seed_(new QSpinBox) {
  grain_->setObjectName(u"grain"_s);
  grain_->setAccessibleName(tr("What a plan consists of"));
  const auto add_grain = [this](const QString& name, const QString& hint, const QString& tip) {
    grain_->addItem(name);
    describe(grain_->count() - 1, hint, tip);
  };
  grain_->addItem(QString());
  set_captured(false);
  add_grain(tr("Nodes"),
            tr("A plan recomputes single nodes, each at most once, and is exported as a model."),
            tr("Recomputes single nodes, each at most once; the other nodes keep the chosen order. "
               "A plan is exported as a model or a session, not as a config string."));
  add_grain(tr("Sequences"), tr("A plan runs any nodes in any order, and is exported as a model."),
            tr("Nodes run in any order, each at most 6 times. A plan is exported as a model or a "
               "session, not as a config string."));
  add_grain(tr("Joint"),
            tr("The fastest step within the budget: other forms of attention and loss, "
               "micro-batches and passes, together with plans. Find makes plans by cluster only."),
            tr("Searches for the fastest step within the budget. It may switch on other forms of "
               "attention and loss, micro-batches and passes, besides plans of all kinds and "
               "offloaded tensors, and says why it chose each of them."));
  lossy_->setObjectName(u"allow_lossy"_s);
  lossy_->setToolTip(
      tr("The search may also compress tensors, and split the batch of a model that mixes its "
         "samples, such as one with batch normalization. Both change the results of a step."));
  seconds_->setObjectName(u"time_limit"_s);
  seconds_->setAccessibleName(tr("Time limit of a search"));
  seconds_->setToolTip(tr("Maximum time of a search. You can stop a search at any time."));
  seconds_->setRange(1, most_seconds);
  seconds_->setSuffix(tr(" s"));
  seconds_->setValue(static_cast<int>(SearchLimit().seconds));
  seed_->setObjectName(u"seed"_s);
  seed_->setAccessibleName(tr("Seed"));
  seed_->setToolTip(tr("Seed of the search: with another seed, the search may find another plan"));
  seed_->setRange(1, most_seed);
  auto* const layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing_unit);
  grain_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  layout->addWidget(grain_, 1);
  for (QSpinBox* const box : {seconds_, seed_}) {
    box->setAlignment(Qt::AlignRight);
    pass_undo_keys(*box);
  }
  layout->addWidget(lossy_);
  layout->addWidget(seconds_);
  connect(grain_, &QComboBox::currentIndexChanged, this, &SearchOptions::show_tip);
  connect(grain_, &QComboBox::currentIndexChanged, this, &SearchOptions::question_changed);
  connect(lossy_, &QCheckBox::toggled, this, &SearchOptions::question_changed);
  show_tip();
}

void SearchOptions::describe(int item, const QString& hint, const QString& tip) {
  grain_->setItemData(item, hint);
  grain_->setItemData(item, tip, Qt::ToolTipRole);
}

void SearchOptions::set_captured(bool is_captured) {
  grain_->setEnabled(!is_captured);
  if (is_captured) {
    grain_->setCurrentIndex(0);
    grain_->setItemText(0, tr("Modules"));
    describe(0, tr("A plan says which modules run again in backward, and is exported for PyTorch."),
             tr("A plan says which modules PyTorch runs again in backward. The Plans panel lists "
                "the modules. File > Export plan for PyTorch writes the plan."));
    return show_tip();
  }
  grain_->setItemText(0, tr("Clusters"));
  describe(0,
           tr("A plan sets how many nodes of each cluster are recomputed, and is exported as a "
              "config string."),
           tr("A plan says how many nodes of each cluster are recomputed. The Plans panel lists "
              "the clusters. A plan is exported as a config string or environment variables for "
              "ONNX Runtime, or as a model."));
  show_tip();
}

void SearchOptions::show_tip() {
  lossy_->setVisible(grain() == PlanGranularity::joint);
  grain_->setToolTip(grain_->currentData(Qt::ToolTipRole).toString());
}

QString SearchOptions::hint() const { return grain_->currentData().toString(); }

PlanGranularity SearchOptions::grain() const {
  return static_cast<PlanGranularity>(grain_->currentIndex());
}

PlanGranularity SearchOptions::grain_of_plans() const {
  return grain() == PlanGranularity::joint ? PlanGranularity::cluster : grain();
}

bool SearchOptions::may_change_results() const { return lossy_->isChecked(); }

SearchLimit SearchOptions::limit() const {
  return {static_cast<double>(seconds_->value()), 0, static_cast<std::uint64_t>(seed_->value())};
}

}  // namespace stashscope::ui
