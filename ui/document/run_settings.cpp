#include "ui/document/run_settings.h"

#include <QSettings>
#include <algorithm>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr qsizetype most_hosts = 8;

/// The machine that a stored text names. Empty if the text is empty or invalid; the user may have
/// edited the settings file.
std::optional<RemoteHost> host_from(const QString& text) {
  if (text.isEmpty()) return std::nullopt;
  try {
    return parse_remote_host(text.toStdString());
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

RunRequest remembered_request() {
  const QSettings settings;
  RunRequest request;
  auto& [warm_up, repeats] = request.counts;
  warm_up = std::clamp(settings.value(u"run/warm_up"_s, warm_up).toInt(), 0, most_runs);
  repeats = std::clamp(settings.value(u"run/repeats"_s, repeats).toInt(), 1, most_runs);
  request.host = host_from(settings.value(u"run/host"_s).toString());
  const QString worker = settings.value(u"run/worker"_s).toString();
  if (request.host && !worker.isEmpty()) request.host->worker = worker.toStdString();
  return request;
}

void remember_request(const RunRequest& request) {
  QSettings settings;
  settings.setValue(u"run/warm_up"_s, request.counts.warm_up);
  settings.setValue(u"run/repeats"_s, request.counts.repeats);
  settings.setValue(u"run/host"_s,
                    request.host ? QString::fromStdString(to_string(*request.host)) : QString());
  if (request.host) {
    settings.setValue(u"run/worker"_s, QString::fromStdString(request.host->worker));
  }
}

QStringList recent_hosts() { return QSettings().value(u"run/recent_hosts"_s).toStringList(); }

void add_recent_host(const QString& host) {
  QStringList hosts = recent_hosts();
  hosts.removeAll(host);
  hosts.prepend(host);
  QSettings().setValue(u"run/recent_hosts"_s, hosts.mid(0, most_hosts));
}

}  // namespace stashscope::ui
