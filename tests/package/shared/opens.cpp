// Opens the library several times, uses it in this thread and in another, and closes it.
#include <dlfcn.h>

#include <cstdio>
#include <thread>

namespace {

int problems = 0;

void expect(const char* what, long got, long expected) {
  if (got == expected) return;
  std::fprintf(stderr, "%s: expected %ld, got %ld\n", what, expected, got);
  ++problems;
}

template <typename F>
F* function(void* library, const char* name) {
  auto* found = reinterpret_cast<F*>(dlsym(library, name));
  if (found == nullptr) std::fprintf(stderr, "%s: %s\n", name, dlerror());
  return found;
}

}  // namespace

int main() {
  for (int i = 0; i < 3; ++i) {
    void* library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
    auto* sum_of_squares = function<long(long)>(library, "sum_of_squares");
    auto* groups_of = function<long(long, long)>(library, "groups_of");
    if (sum_of_squares == nullptr || groups_of == nullptr) return 1;
    const auto use = [&] {
      expect("sum_of_squares", sum_of_squares(1'000'000), 333'332'833'333'500'000);
      expect("groups_of", groups_of(300'000, -1), 1000);
      expect("groups_of with a lambda that throws", groups_of(300'000, 200'000), -1);
    };
    use();
    std::thread(use).join();
    if (dlclose(library) != 0) {
      std::fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  if (problems == 0) std::puts("opened, used and closed three times");
  return problems == 0 ? 0 : 1;
}
