#include "core/process/remote.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "core/process/run_child.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/support/processes.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace remote_test {

std::vector<std::string> lines_of(const std::string& command, const std::string& input = {}) {
  std::vector<std::string> lines;
  run_child_to_end("/bin/sh", {"-c", command},
                   [&](const std::string& line) { lines.push_back(line); }, Progress(), {input});
  return lines;
}

TEST(RemoteHost, IsReadAndWritten) {
  for (const char* text : {"alice@box", "box", "a.b-c@host-1.example.org:2222", "10.0.0.7:22"}) {
    EXPECT_EQ(to_string(parse_remote_host(text)), text);
  }
  const RemoteHost host = parse_remote_host("alice@box:99");
  EXPECT_EQ(host.user, "alice");
  EXPECT_EQ(host.host, "box");
  EXPECT_EQ(host.port, 99);
  EXPECT_EQ(host.worker, "stashscope-run");
}

TEST(RemoteHost, WhatCouldBeAnOptionOrACommandIsRefused) {
  for (const std::string& text : {std::string(),
                                  std::string("-oProxyCommand=touch x"),
                                  std::string("a@-b"),
                                  std::string("-a@b"),
                                  std::string("a b"),
                                  std::string("a@b;c"),
                                  std::string("a@b$(c)"),
                                  std::string("a@b`c`"),
                                  std::string("a@b|c"),
                                  std::string("a@b/c"),
                                  std::string("a@b\nc"),
                                  std::string("a@b@c"),
                                  std::string("@b"),
                                  std::string("a@"),
                                  std::string("a@b:"),
                                  std::string("a@b:0"),
                                  std::string("a@b:65536"),
                                  std::string("a@b:2x"),
                                  std::string("a@b:1:2"),
                                  std::string("a@b\0c", 5),
                                  std::string(300, 'a')}) {
    const std::string said = test::refusal(ErrorKind::usage, [&] { parse_remote_host(text); });
    EXPECT_NE(said.find(printable(text)), std::string::npos) << said;
  }
}

TEST(RemoteHost, WordsPassAShellUnchanged) {
  for (const std::string word : {"plain", "a b", "it's", "$(touch x)", "`x`", "a\"b", "\\", "*",
                                 "; rm -rf /", "'\\''", ""}) {
    EXPECT_EQ(lines_of("printf '%s\\n' " + shell_quoted(word)), std::vector<std::string>{word});
  }
}

TEST(RemoteHost, SshGetsTheHostBehindAllOptionsAndOneCommand) {
  RemoteHost host = parse_remote_host("alice@box:99");
  const auto arguments = ssh_arguments(host, {"/opt/my tools/run", "--repeat", "2"});
  const std::vector<std::string> end = {"-p", "99", "--", "alice@box",
                                        "'/opt/my tools/run' '--repeat' '2'"};
  ASSERT_GT(arguments.size(), end.size());
  EXPECT_TRUE(std::equal(end.rbegin(), end.rend(), arguments.rbegin()));
  EXPECT_NE(std::find(arguments.begin(), arguments.end(), "BatchMode=yes"), arguments.end());
}

TEST(RemoteHost, FailuresOfSshSayWhatToDo) {
  const RemoteHost host = parse_remote_host("alice@box");
  for (const auto& [said, hint] : std::vector<std::pair<std::string, std::string>>{
           {"Host key verification failed.", "terminal"},
           {"alice@box: Permission denied (publickey).", "ssh-copy-id"},
           {"ssh: Could not resolve hostname box: Name or service not known", "check the name"},
           {"ssh: connect to host box port 22: Connection refused", "port"},
           {"Connection to box closed by remote host.", "run again"}}) {
    const Error error = remote_error(host, {255, said});
    EXPECT_EQ(error.kind(), ErrorKind::run);
    const std::string text = error.what();
    EXPECT_NE(text.find("alice@box"), std::string::npos) << text;
    EXPECT_NE(text.find(hint), std::string::npos) << text;
    EXPECT_NE(text.find(said), std::string::npos) << text;
  }
  const Error missing = remote_error(host, {127, "sh: stashscope-run: not found"});
  EXPECT_EQ(missing.where(), "alice@box");
  EXPECT_NE(missing.reason().find("'stashscope-run'"), std::string::npos) << missing.what();
  EXPECT_EQ(remote_error(host, {1, "bad model"}).kind(), ErrorKind::input);
  EXPECT_NE(remote_error(host, {255, ""}).reason().find("ssh ended"), std::string::npos);
}

TEST(RemoteHost, TheSshProgramCanBeNamed) {
  const test::Folder folder;
  const auto program = test::script(folder / "my-ssh", "exit 0");
  {
    const test::Environment named("STASHSCOPE_SSH", program.string());
    EXPECT_EQ(ssh_program(), program);
  }
  const test::Environment missing("STASHSCOPE_SSH", (folder / "none").string());
  const std::string said = test::refusal(ErrorKind::run, [] { ssh_program(); });
  EXPECT_NE(said.find("not installed"), std::string::npos) << said;
}

TEST(ChildInput, ArrivesWhateverItsSize) {
  const std::string large(std::size_t{9} << 20, 'x');
  EXPECT_EQ(lines_of("wc -c", large), std::vector<std::string>{std::to_string(large.size())});
  EXPECT_EQ(lines_of("wc -c"), std::vector<std::string>{"0"});
}

TEST(ChildInput, AChildMayStopReading) {
  const std::string large(std::size_t{9} << 20, 'x');
  EXPECT_EQ(lines_of("exec <&-; echo enough", large), std::vector<std::string>{"enough"});
}

TEST(ChildInput, TheEndIsTold) {
  const ChildEnd end = run_child_to_end("/bin/sh", {"-c", "echo first >&2; echo last >&2; exit 7"},
                                        [](const std::string&) {}, Progress(), {});
  EXPECT_EQ(end.status, 7);
  EXPECT_EQ(end.last_words, "last");
}

TEST(ChildInput, IsReadWhereSignalsOfChildrenAreIgnored) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const std::vector<std::string> lines = lines_of("echo whole");
  std::signal(SIGCHLD, before);
  EXPECT_EQ(lines, std::vector<std::string>{"whole"});
}

TEST(ChildInput, ACrashIsToldBeforeTheLastWords) {
  const std::string text = test::refusal(ErrorKind::run, [] {
    run_child(
        "/bin/sh", {"-c", "echo note >&2; kill -SEGV $$"}, [](const std::string&) {}, Progress());
  });
  EXPECT_LT(text.find("crashed"), text.find("note"));
}

TEST(ChildInput, AKilledChildLeavesNoPartOfALine) {
  EXPECT_EQ(lines_of("echo whole; printf part; kill -KILL $$"), std::vector<std::string>{"whole"});
  EXPECT_EQ(lines_of("echo whole; printf last"), (std::vector<std::string>{"whole", "last"}));
}

}  // namespace remote_test
}  // namespace stashscope
