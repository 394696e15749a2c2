// Where the threads of a test are that takes too long, told before ctest ends it: what hangs once
// in thousands of runs may not be seen again.
#include <dirent.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace pappus::testing {
namespace {

constexpr unsigned seconds = 270;  // ctest ends a test after 300

// Handlers allocate nothing: the thread that they interrupt may be allocating itself. What they
// need is made beforehand.

void say(std::string_view text) {
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

/// Says what the kernel knows of a thread: its name, or where it waits.
void say_known(const char* thread, const char* what) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%s/%s", thread, what);
  const int file = ::open(path.data(), O_RDONLY);
  if (file < 0) return;
  std::array<char, 256> text{};
  const auto n = ::read(file, text.data(), text.size());
  ::close(file);
  const std::string_view known(text.data(), static_cast<std::size_t>(n > 0 ? n : 0));
  say(known.substr(0, known.find('\n')));
}

void tell_own_stack(int) {
  std::array<void*, 64> frames;
  const int n = ::backtrace(frames.data(), static_cast<int>(frames.size()));
  ::backtrace_symbols_fd(frames.data(), n, STDERR_FILENO);
}

/// Has a thread tell its stack; one that takes no signals is named only.
void tell_stack(const char* thread) {
  say("thread ");
  say(thread);
  say(" \"");
  say_known(thread, "comm");
  say("\", in the kernel: ");
  say_known(thread, "wchan");
  say(", ");
  say_known(thread, "syscall");
  say("\n");
  ::syscall(SYS_tgkill, ::getpid(), std::atoi(thread), SIGUSR2);
  ::usleep(100'000);  // one after the other
}

/// Reads the list of threads by the system call, as readdir() allocates.
void tell_stacks_of_all() {
  const int folder = ::open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (folder < 0) return;
  alignas(::dirent64) std::array<char, 4096> entries;
  while (true) {
    const auto bytes = ::syscall(SYS_getdents64, folder, entries.data(), entries.size());
    if (bytes <= 0) break;
    for (long at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const ::dirent64*>(entries.data() + at);
      if (entry->d_name[0] != '.') tell_stack(entry->d_name);
      at += entry->d_reclen;
    }
  }
  ::close(folder);
}

/// A debugger sees all threads and names functions. Fails where there is none, and where it is not
/// done in time: gdb 13 may wait for ever for threads that ThreadSanitizer watches, on a busy
/// machine four times in ten where gdb is the child of the process it looks at, as it is not here.
const std::string& debugger() {
  static const std::string command =
      "command -v gdb > /dev/null && exec timeout --foreground -s KILL 15 "
      "gdb -batch -nx -ex 'set debuginfod enabled off' -ex 'thread apply all backtrace 40' -p " +
      std::to_string(::getpid()) + " < /dev/null 1>&2 2> /dev/null";
  return command;
}

void tell_stacks(int) {
  say("This test takes too long. Its threads:\n");
  if (std::system(debugger().c_str()) != 0) tell_stacks_of_all();
}

class hang_watch final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { ::alarm(seconds); }
  void OnTestEnd(const ::testing::TestInfo&) override { ::alarm(0); }
};

[[maybe_unused]] const bool watches = [] {
  debugger();
  std::array<void*, 1> frame;
  ::backtrace(frame.data(), 1);  // loads what it needs
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
