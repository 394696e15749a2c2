#include "memory/pages.h"

#include <sys/mman.h>

namespace pappus::memory {

std::byte* map_pages(std::size_t bytes, int more_flags) {
  // Over-allocate by one huge page, then cut the ends so that the buffer starts on a huge page
  // boundary.
  const bool huge = bytes >= huge_page;
  const std::size_t span = huge ? bytes + huge_page : bytes;
  void* raw = ::mmap(nullptr, span, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(raw);
  if (!huge) return begin;
  const auto address = reinterpret_cast<std::size_t>(begin);
  const std::size_t head = (huge_page - address % huge_page) % huge_page;
  if (head != 0) ::munmap(begin, head);
  if (huge_page - head != 0) ::munmap(begin + head + bytes, huge_page - head);
  ::madvise(begin + head, bytes, MADV_HUGEPAGE);
  return begin + head;
}

}  // namespace pappus::memory
