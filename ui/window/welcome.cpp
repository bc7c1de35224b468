#include "ui/window/welcome.h"

#include <QCoreApplication>
#include <QDir>
#include <QLabel>
#include <QPushButton>

#include "ui/document/recent_files.h"
#include "ui/theme/icons.h"
#include "ui/theme/spacing.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr int column_width = 480;

QLabel* make_label(const QString& text) {
  auto* const label = new QLabel(text);
  label->setWordWrap(true);
  label->setEnabled(false);
  return label;
}

/// Uses markup, so that the size follows the text size.
QLabel* make_headline(const QString& text) {
  auto* const label =
      new QLabel(u"<span style=\"font-size: x-large\">%1</span>"_s.arg(text.toHtmlEscaped()));
  label->setWordWrap(true);
  return label;
}

/// The folder of the installed samples; if it does not exist, the folder in the source tree.
QDir sample_folder() {
  const QDir installed(QCoreApplication::applicationDirPath() + u"/../share/stashscope/samples"_s);
  return installed.exists() ? installed : QDir(QStringLiteral(STASHSCOPE_SAMPLES));
}

}  // namespace

QStringList sample_models() {
  QStringList models;
  for (const QFileInfo& info :
       sample_folder().entryInfoList({u"*.onnx"_s}, QDir::Files, QDir::Name)) {
    models.push_back(info.absoluteFilePath());
  }
  return models;
}

Welcome::Welcome(QWidget* parent) : QWidget(parent), lists_(new QVBoxLayout) {
  setObjectName(u"welcome"_s);
  auto* const column = new QWidget;
  column->setMaximumWidth(column_width);
  auto* const layout = new QVBoxLayout(column);
  layout->setSpacing(spacing_unit);
  layout->addWidget(make_headline(tr("See where the memory of a training step goes")));
  layout->addWidget(make_label(tr("Open an ONNX model or a saved session, or drop one here.")));
  layout->addSpacing(spacing_unit);
  auto* const open = new QPushButton(icon(Icon::open), tr("Open…"));
  open->setObjectName(u"welcome_open"_s);
  open->setDefault(true);
  open->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(open, &QPushButton::clicked, this, &Welcome::open_wanted);
  layout->addWidget(open);
  layout->addSpacing(spacing_unit);
  layout->addLayout(lists_);
  auto* const outer = new QVBoxLayout(this);
  outer->addStretch(2);
  auto* const middle = new QHBoxLayout;
  middle->addStretch(1);
  middle->addWidget(column, 100);
  middle->addStretch(1);
  outer->addLayout(middle);
  outer->addStretch(3);
  refresh();
}

void Welcome::refresh() {
  while (QLayoutItem* const item = lists_->takeAt(0)) {
    if (item->widget() != nullptr) item->widget()->deleteLater();
    delete item;
  }
  add_list(tr("Start with a sample"), sample_models(),
           [](const QString& file) { return QFileInfo(file).completeBaseName(); });
  add_list(tr("Recent"), recent_files(), name_of_file);
}

void Welcome::add_list(const QString& title, const QStringList& files,
                       QString (*name)(const QString& file)) {
  if (files.isEmpty()) return;
  lists_->addSpacing(spacing_unit);
  lists_->addWidget(make_label(title));
  for (const QString& file : files) {
    auto* const entry = new QPushButton(name(file));
    entry->setObjectName(u"welcome_file"_s);
    entry->setFlat(true);
    entry->setToolTip(file);
    entry->setCursor(Qt::PointingHandCursor);
    entry->setStyleSheet(u"text-align: left; padding: 4px 8px; color: palette(link);"_s);
    connect(entry, &QPushButton::clicked, this, [this, file] { Q_EMIT file_wanted(file); });
    lists_->addWidget(entry);
  }
}

}  // namespace stashscope::ui
