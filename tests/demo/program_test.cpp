#include "demo/support/program.h"

#include <gtest/gtest.h>

#include "tests/demo/temporary_files.h"

namespace demo {
namespace {

struct outcome {
  int status;
  std::string out, err;
};

/// Runs a program that notes its arguments and the packages it is given.
outcome run(std::vector<std::string> arguments, std::string& seen) {
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  const int status = run_program(
      static_cast<int>(argv.size()), argv.data(), "[WORD]...",
      [&](pappus::session&, const package_index& index, const std::vector<std::string>& words) {
        for (const std::string& word : words) seen += word + " ";
        for (const package& p : index.packages) seen.append(p.name).append(" ");
      });
  auto out = ::testing::internal::GetCapturedStdout();
  return {status, std::move(out), ::testing::internal::GetCapturedStderr()};
}

TEST(run_program, hands_the_named_indexes_and_the_other_arguments_on) {
  const testing::temporary_files files;
  const auto stanza = [](const char* name) {
    return std::string("Package: ") + name + "\nVersion: 1\nArchitecture: all\nSize: 1\n\n";
  };
  const auto a = files.write("a", stanza("first")), b = files.write("b", stanza("second"));
  std::string seen;
  const auto [status, out, err] =
      run({"one", "--index", a, "two", "--index", b, "--pappus-threads=1"}, seen);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(out + err, "");
  EXPECT_EQ(seen, "one two first second ");
}

TEST(run_program, shows_its_usage_on_request_and_on_wrong_arguments) {
  const std::string usage = "usage: program [--index FILE]... [WORD]...\n";
  std::string seen;
  const auto help = run({"--help"}, seen);
  EXPECT_EQ(help.status, 0);
  EXPECT_EQ(help.out, usage);
  for (const char* wrong : {"--unknown", "--index"}) {
    const auto result = run({wrong}, seen);
    EXPECT_EQ(result.status, 2);
    EXPECT_EQ(result.err, usage);
  }
  EXPECT_EQ(seen, "");
}

TEST(run_program, reports_an_index_it_cannot_read_on_stderr) {
  const testing::temporary_files files;
  std::string seen;
  const auto [status, out, err] = run({"--index", files.path("none")}, seen);
  EXPECT_EQ(status, 1);
  EXPECT_EQ(out, "");
  EXPECT_EQ(err,
            "program: " + files.path("none") + ": can't be opened: No such file or directory\n");
}

}  // namespace
}  // namespace demo
