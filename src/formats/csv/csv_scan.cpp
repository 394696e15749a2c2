#include "formats/csv/csv_scan.h"

namespace pappus::formats {

scan_result scan_rows(std::string_view text) noexcept {
  return levels::own().scan_csv_rows(text.data(), text.size());
}

}  // namespace pappus::formats
