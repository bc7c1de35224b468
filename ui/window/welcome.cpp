#include "ui/window/welcome.h"

#include <QFileInfo>
#include <QLabel>
#include <algorithm>

#include "ui/text/texts.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"
#include "ui/widgets/code_lines.h"
#include "ui/widgets/key_action.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

/// Minimum and maximum widths of a column, in average characters.
constexpr int least_column = 46;
constexpr int widest_column = 74;
constexpr int page_margin = 3 * spacing_unit;

QLabel* make_label(const QString& text) {
  auto* const label = new QLabel(text);
  label->setWordWrap(true);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

/// Sets the font size in markup, so that the headline grows with the text size of the window.
QLabel* make_headline(const QString& text, const QString& size) {
  auto* const label =
      new QLabel(u"<span style=\"font-size: %1\">%2</span>"_s.arg(size, text.toHtmlEscaped()));
  label->setWordWrap(true);
  return label;
}

void empty(QLayout& list) {
  while (QLayoutItem* const item = list.takeAt(0)) {
    if (item->layout() != nullptr) empty(*item->layout());
    if (item->widget() != nullptr) {
      item->widget()->hide();
      item->widget()->deleteLater();
    }
    delete item;
  }
}

bool is_session(const QString& path) { return !path.endsWith(u".onnx"_s, Qt::CaseInsensitive); }

/// The kind of a file and its last peaks: `Model, peak 1.25 GiB → 0.90 GiB`.
QString detail_of(const QString& path, bool gone) {
  QStringList parts = {is_session(path) ? Welcome::tr("Session") : Welcome::tr("Model")};
  if (const auto peaks = recent_peaks(path)) {
    const QString before = bytes_text(peaks->without_plans);
    const QString after = bytes_text(peaks->with_choices);
    parts << (before == after ? Welcome::tr("peak %1").arg(before)
                              : Welcome::tr("peak %1 → %2").arg(before, after));
  }
  if (gone) parts.prepend(Welcome::tr("The file no longer exists"));
  return parts.join(u", "_s);
}

/// The name of the folder and the file; the whole path if another one of `files` has that name.
QString name_among(const QString& path, const QStringList& files) {
  const QString name = name_of_file(path);
  const auto alike =
      std::ranges::count_if(files, [&](const QString& each) { return name_of_file(each) == name; });
  return alike > 1 ? path : name;
}

/// A text with buttons below, which copy lines of Python and open a document.
struct Help {
  QString name;
  QString text;
  QString lines;
  bool shows_lines = true;  ///< false: the lines are the tool tip of the button that copies them
  QString page_name;
  QString page_text;
};

QWidget* make_help(const Help& help, std::function<void()> open_page) {
  auto* const widget = new QWidget;
  auto* const layout = new QVBoxLayout(widget);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing_unit / 2);
  layout->addWidget(make_label(help.text));
  if (help.shows_lines) layout->addWidget(make_code_lines(help.name + u"_lines"_s, help.lines));
  auto* const row = new QHBoxLayout;
  QPushButton* const copy = make_copy_button(u"copy_%1_lines"_s.arg(help.name),
                                             Welcome::tr("Copy the lines"), help.lines + u'\n');
  if (!help.shows_lines) copy->setToolTip(help.lines);
  row->addWidget(copy);
  auto* const page = new QPushButton(help.page_text);
  page->setObjectName(help.page_name);
  page->setAutoDefault(true);
  QObject::connect(page, &QPushButton::clicked, page, std::move(open_page));
  row->addWidget(page);
  row->addStretch(1);
  layout->addLayout(row);
  return widget;
}

}  // namespace

QString capture_lines() {
  return u"import stashscope\n"
         "\n"
         "def step():\n"
         "    optimizer.zero_grad()\n"
         "    model(**batch).loss.backward()\n"
         "    optimizer.step()\n"
         "\n"
         "stashscope.capture(step, \"step.onnx\")"_s;
}

QString export_lines() {
  return u"model.train()\n"
         "torch.onnx.export(model, args, \"model.onnx\",\n"
         "                  dynamo=True, optimize=False)"_s;
}

Welcome::Welcome(const Thumbnails& thumbnails, QWidget* parent)
    : QScrollArea(parent),
      thumbnails_(thumbnails),
      open_(new QPushButton(icon(Icon::open), tr("Open…"))),
      recent_(new QVBoxLayout),
      samples_(new QVBoxLayout) {
  setObjectName(u"welcome"_s);
  setFocusPolicy(Qt::NoFocus);
  setWidgetResizable(true);
  setFrameShape(NoFrame);
  auto* const page = new QWidget;
  left_ = make_left();
  right_ = new QWidget;
  right_->setLayout(recent_);
  recent_->setContentsMargins(0, 0, 0, 0);
  recent_->setSpacing(spacing_unit / 4);
  columns_ = new QBoxLayout(QBoxLayout::LeftToRight);
  columns_->setSpacing(4 * spacing_unit);
  columns_->addWidget(left_, 1, Qt::AlignTop);
  columns_->addWidget(right_, 1, Qt::AlignTop);
  auto* const middle = new QHBoxLayout;
  middle->addStretch(1);
  middle->addLayout(columns_, 100);
  middle->addStretch(1);
  auto* const outer = new QVBoxLayout(page);
  outer->setContentsMargins(page_margin, page_margin, page_margin, page_margin);
  outer->addStretch(1);
  outer->addLayout(middle);
  outer->addStretch(2);
  setWidget(page);
  fill_samples();
  fill_recent();
  arrange();
}

QWidget* Welcome::make_left() {
  auto* const column = new QWidget;
  auto* const layout = new QVBoxLayout(column);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing_unit);
  layout->addWidget(
      make_headline(tr("See where the memory of a training step goes"), u"x-large"_s));
  layout->addWidget(
      make_label(tr("Open an ONNX model or a saved session, or drop one anywhere in the window.")));
  open_->setObjectName(u"welcome_open"_s);
  open_->setAutoDefault(true);
  open_->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(open_, &QPushButton::clicked, this, &Welcome::open_wanted);
  layout->addWidget(open_);
  layout->addSpacing(spacing_unit);
  layout->addWidget(make_headline(tr("Start with a sample"), u"large"_s));
  samples_->setSpacing(spacing_unit / 4);
  layout->addLayout(samples_);
  layout->addSpacing(spacing_unit);
  layout->addWidget(make_headline(tr("Bring a PyTorch model"), u"large"_s));
  layout->addWidget(make_capture_help());
  layout->addWidget(make_export_help());
  return column;
}

QWidget* Welcome::make_capture_help() {
  return make_help(
      {u"capture"_s,
       tr("stashscope.capture(step, \"step.onnx\") writes down the training step that the function "
          "step runs, as PyTorch runs it. stashscope.apply puts a plan into the script, "
          "stashscope.measure measures the step."),
       capture_lines(), false, u"capture_page"_s, tr("Capture, apply, measure…")},
      [this] { Q_EMIT capture_help_wanted(); });
}

QWidget* Welcome::make_export_help() {
  return make_help({u"export"_s,
                    tr("Or export the model on a machine that has the model and one batch of "
                       "inputs. The export needs no GPU and no backward pass."),
                    export_lines(), true, u"export_page"_s, tr("What exporters change…")},
                   [this] { Q_EMIT export_help_wanted(); });
}

void Welcome::fill_samples() {
  empty(*samples_);
  std::vector<FileEntry> entries;
  for (const QString& path : sample_models()) {
    entries.push_back({path, QFileInfo(path).completeBaseName(), about_sample(path), {}});
  }
  add_entries(*samples_, entries, false);
}

void Welcome::fill_recent() {
  empty(*recent_);
  const QStringList files = recent_files();
  std::vector<FileEntry> entries;
  for (const QString& path : files) {
    const bool gone = !QFileInfo::exists(path);
    entries.push_back(
        {path, name_among(path, files), detail_of(path, gone), thumbnails_.of(path), gone});
  }
  right_->setVisible(!entries.empty());
  recent_->addWidget(make_headline(tr("Recent"), u"large"_s));
  add_entries(*recent_, entries, true);
}

void Welcome::add_entries(QVBoxLayout& list, const std::vector<FileEntry>& entries, bool recent) {
  const bool indented =
      std::ranges::any_of(entries, [](const FileEntry& each) { return !each.picture.isNull(); });
  for (const FileEntry& each : entries) add_entry(list, each, indented, recent);
}

void Welcome::add_entry(QVBoxLayout& list, const FileEntry& entry, bool indented, bool recent) {
  auto* const button = new FileButton(entry, indented);
  connect(button, &QPushButton::clicked, this,
          [this, path = entry.path] { Q_EMIT file_wanted(path); });
  auto* const row = new QHBoxLayout;
  row->addWidget(button, 1);
  list.addLayout(row);
  if (!recent) return;
  add_key_action(*button, tr("Remove from the list"), {Qt::Key_Delete},
                 [this, path = entry.path] { forget(path); });
  button->setContextMenuPolicy(Qt::ActionsContextMenu);
  if (entry.gone) row->addWidget(make_remove_button(entry));
}

QPushButton* Welcome::make_remove_button(const FileEntry& entry) {
  auto* const button = new QPushButton(tr("Remove"));
  button->setObjectName(u"welcome_remove"_s);
  button->setAccessibleName(tr("Remove %1 from the list").arg(entry.name));
  button->setToolTip(entry.path);
  button->setAutoDefault(true);
  connect(button, &QPushButton::clicked, this, [this, path = entry.path] { forget(path); });
  return button;
}

void Welcome::forget(const QString& path) {
  forget_recent_file(path);
  fill_recent();
  open_->setFocus();
}

void Welcome::showEvent(QShowEvent* event) {
  QScrollArea::showEvent(event);
  open_->setFocus();
}

void Welcome::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  arrange();
}

void Welcome::changeEvent(QEvent* event) {
  QScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange && columns_ != nullptr) arrange();
}

int Welcome::wanted_width(const QWidget& column) {
  return std::clamp(column.sizeHint().width(), column.minimumWidth(), column.maximumWidth());
}

void Welcome::arrange() {
  const int character = fontMetrics().averageCharWidth();
  for (QWidget* const each : {left_, right_}) {
    each->setMinimumWidth(least_column * character);
    each->setMaximumWidth(widest_column * character);
  }
  const int both = wanted_width(*left_) + wanted_width(*right_) + columns_->spacing();
  const bool beside = viewport()->width() >= both + 2 * page_margin;
  columns_->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

}  // namespace stashscope::ui
