// Where the threads of a test are that takes too long, told before ctest ends it: what hangs once
// in thousands of runs may not be seen again.
#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace pappus::testing {
namespace {

constexpr unsigned seconds = 270;  // ctest ends a test after 300

void say(const std::string& text) {
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

/// What the kernel knows of a thread: its name, or where it waits.
std::string known(const std::string& thread, const char* what) {
  std::array<char, 256> text{};
  const int file = ::open(("/proc/self/task/" + thread + "/" + what).c_str(), O_RDONLY);
  const auto n = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  std::string found(text.data(), static_cast<std::size_t>(n > 0 ? n : 0));
  while (!found.empty() && found.back() == '\n') found.pop_back();
  return found;
}

void tell_own_stack(int) {
  std::array<void*, 64> frames;
  const int n = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), n, STDERR_FILENO);
}

/// By a debugger, which sees all threads and names functions. False: there is none.
bool tell_by_debugger() {
  const auto command =
      "command -v gdb > /dev/null && exec gdb -batch -nx -ex 'set debuginfod enabled off' "
      "-ex 'thread apply all backtrace 40' -p " +
      std::to_string(::getpid()) + " 1>&2 2> /dev/null";
  return std::system(command.c_str()) == 0;
}

/// Threads that take no signals are named only, where there is no debugger. Not all of this is safe
/// in a handler; the test is lost anyway.
void tell_stacks(int) {
  say("This test takes too long. Its threads:\n");
  if (tell_by_debugger()) return;
  auto* const threads = ::opendir("/proc/self/task");
  if (threads == nullptr) return;
  while (const auto* const entry = ::readdir(threads)) {
    const std::string thread = entry->d_name;
    if (thread.front() == '.') continue;
    say("thread " + thread + " \"" + known(thread, "comm") +
        "\", in the kernel: " + known(thread, "wchan") + ", " + known(thread, "syscall") + "\n");
    ::syscall(SYS_tgkill, ::getpid(), std::atoi(thread.c_str()), SIGUSR2);
    ::usleep(100'000);  // one after the other
  }
  ::closedir(threads);
}

class hang_watch final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { ::alarm(seconds); }
  void OnTestEnd(const ::testing::TestInfo&) override { ::alarm(0); }
};

[[maybe_unused]] const bool watches = [] {
  struct sigaction action{};
  action.sa_flags = SA_RESTART;
  action.sa_handler = tell_own_stack;
  ::sigaction(SIGUSR2, &action, nullptr);
  action.sa_handler = tell_stacks;
  ::sigaction(SIGALRM, &action, nullptr);
  ::testing::UnitTest::GetInstance()->listeners().Append(new hang_watch);
  return true;
}();

}  // namespace
}  // namespace pappus::testing
