// Prints what is wrong with the slots; all is well if it prints nothing.
#include <cstdio>
#include <string_view>

const char* shared_with_plugin();
const char* own_with_plugin(int k);
const char* shared_without_plugin();
const char* own_without_plugin(int k);

namespace {

// Constructors of the user's may already run queries.
const char* const early = own_with_plugin(1);

int expect_text(const char* which, const char* descriptor, std::string_view part) {
  if (descriptor == nullptr) return std::printf("%s: no descriptor\n", which);
  const std::string_view text = descriptor;
  if (!text.starts_with(R"({"version":4,)") || text.find(part) == text.npos)
    return std::printf("%s: %s\n", which, descriptor);
  return 0;
}

}  // namespace

int main() {
  int wrong = expect_text("in a constructor", early, R"("name":"with_plugin_cpp_6")");
  wrong += expect_text("own", own_with_plugin(2), R"("reads":[{"parameter":1,"bytes":[[0,4]]}])");
  wrong += expect_text("shared", shared_with_plugin(), R"("name":"kernel_h_7")");
  if (shared_without_plugin() != shared_with_plugin() && shared_without_plugin() != nullptr)
    wrong += std::printf("shared: two descriptors in one program\n");
  if (own_without_plugin(2) != nullptr) wrong += std::printf("without plugin: a descriptor\n");
  return wrong != 0;
}
