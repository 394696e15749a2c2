#include "base/own_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

namespace pappus::base {
namespace {

TEST(own_memory, is_copied_where_it_is_there) {
  const std::string text = "a text of some length";
  std::string copy(text.size(), '?');
  ASSERT_TRUE(copy_if_there(copy.data(), text.data(), text.size()));
  EXPECT_EQ(copy, text);
  EXPECT_TRUE(copy_if_there(copy.data(), nullptr, 0));
  const std::string longer(1'000'001, 'x');
  std::string to(longer.size() + 1, '?');
  EXPECT_TRUE(copy_if_there(to.data(), longer.data(), longer.size()));
  EXPECT_EQ(to, longer + "?");
}

TEST(own_memory, that_is_not_there_is_no_fault) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const two =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(two, MAP_FAILED);
  ASSERT_EQ(::munmap(static_cast<char*>(two) + page, page), 0);
  std::string copy(16, '?');
  const auto* const end = static_cast<const char*>(two) + page;
  EXPECT_TRUE(copy_if_there(copy.data(), end - 16, 16));
  EXPECT_FALSE(copy_if_there(copy.data(), end - 8, 16)) << "half of it is";
  EXPECT_FALSE(copy_if_there(copy.data(), end, 16));
  EXPECT_FALSE(copy_if_there(copy.data(), nullptr, 16));
  EXPECT_FALSE(copy_if_there(copy.data(), reinterpret_cast<const void*>(std::intptr_t{-64}), 16));
  ::munmap(two, page);
}

}  // namespace
}  // namespace pappus::base
