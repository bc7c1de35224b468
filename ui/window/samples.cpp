#include "ui/window/samples.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

struct SampleTexts {
  Q_DECLARE_TR_FUNCTIONS(Samples)
};

/// The folder at the path `installed`, relative to the folder of the program. If no such folder
/// exists, the folder at the path `in_sources`, relative to the folder of the samples in the source
/// tree.
QDir files_beside(const QString& installed, const QString& in_sources) {
  const QDir folder(QCoreApplication::applicationDirPath() + installed);
  return folder.exists() ? folder : QDir(QStringLiteral(STASHSCOPE_SAMPLES) + in_sources);
}

}  // namespace

QStringList sample_models() {
  QStringList models;
  const QDir folder = files_beside(u"/../share/stashscope/samples"_s, {});
  for (const QFileInfo& info : folder.entryInfoList({u"*.onnx"_s}, QDir::Files, QDir::Name)) {
    models.push_back(info.absoluteFilePath());
  }
  return models;
}

QString about_sample(const QString& path) {
  const QString name = QFileInfo(path).completeBaseName();
  if (name == u"gpt2_tiny"_s) {
    return SampleTexts::tr("A two-layer GPT-2: plans for attention, and dimensions to vary");
  }
  if (name == u"lenet"_s) {
    return SampleTexts::tr("Convolutions on images, and why their activations have no plan");
  }
  if (name == u"mlp_gelu"_s) {
    return SampleTexts::tr("Linear layers with Gelu and dropout: a model with few tensors");
  }
  return {};
}

QString documentation_page(const QString& name) {
  const QString page = files_beside(u"/../share/doc/stashscope"_s, u"/../../docs"_s).filePath(name);
  return QFileInfo::exists(page) ? QFileInfo(page).canonicalFilePath() : QString();
}

}  // namespace stashscope::ui
