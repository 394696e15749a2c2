#include "front/array/file_array.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/error.h"

namespace pappus::detail {
namespace {

regions::point point_of(const std::vector<std::int64_t>& numbers) {
  regions::point result{};
  std::ranges::copy(numbers, result.begin());
  return result;
}

formats::hyperslab in_file(const regions::hyperslab& of) {
  const auto rank = of.bounds.rank;
  return {{of.bounds.low.data(), rank}, {of.bounds.high.data(), rank}, {of.steps.data(), rank}};
}

/// What a damaged file says of its chunks needn't make sense.
void check_chunks(const formats::array_file& file) {
  auto bytes = static_cast<std::int64_t>(file.element_bytes());
  for (const auto extent : file.shape().chunk)
    if (extent < 1 || __builtin_mul_overflow(bytes, extent, &bytes))
      throw format_error(
          fmt::format("{}: expected chunks of less than 2^63 bytes, got {} elements "
                      "of {} bytes",
                      file.name(), fmt::join(file.shape().chunk, " x "), file.element_bytes()));
}

class file_chunks final : public graph::chunked {
 public:
  file_chunks(std::unique_ptr<formats::array_file> file, std::shared_ptr<memory_source> scratch)
      : scratch_(std::move(scratch)),
        file_(std::move(file)),
        chunks_(chunks_of(file_->shape())),
        extents_(point_of(file_->shape().chunk)) {}

  const regions::grid& chunks() const noexcept override { return chunks_; }
  const regions::point& chunk_extents() const noexcept override { return extents_; }
  std::size_t element_bytes() const noexcept override { return file_->element_bytes(); }
  std::size_t scratch_bytes() const noexcept override { return file_->scratch_bytes(); }
  const std::string& name() const noexcept override { return file_->name(); }

  void load(const regions::point& chunk, std::byte* out) const override {
    if (file_->load({chunk.data(), chunks_.rank()}, *scratch_, out)) return;
    const auto fill = file_->fill();
    const auto bytes = chunk_bytes(*this);
    if (std::ranges::all_of(fill, [&](std::byte b) { return b == fill.front(); })) {
      std::memset(out, static_cast<int>(fill.front()), bytes);
      return;
    }
    for (std::size_t at = 0; at < bytes; at += fill.size())
      std::memcpy(out + at, fill.data(), fill.size());
  }

  bool reads_alone(const regions::hyperslab& elements) const noexcept override {
    return file_->reads_alone(in_file(elements));
  }
  void read_alone(const regions::hyperslab& elements, const array_numbers& strides,
                  std::byte* out) const override {
    file_->read_alone(in_file(elements), {strides.data(), elements.bounds.rank}, out);
  }
  void announce_alone(const regions::hyperslab& elements) const noexcept override {
    file_->announce_alone(in_file(elements));
  }

  void announce(const regions::point& chunk) const noexcept override {
    file_->announce({chunk.data(), chunks_.rank()});
  }

  std::string description() const override {
    const auto about = file_->storage();
    auto result = fmt::format("{} ({}", name(), about.kind);
    if (!about.codec.empty()) result += ", " + about.codec;
    if (about.bytes >= 0) result += ", " + base::bytes_text(static_cast<double>(about.bytes));
    return result + ")";
  }

 private:
  std::shared_ptr<memory_source> scratch_;  // outlives the file
  std::unique_ptr<formats::array_file> file_;
  regions::grid chunks_;
  regions::point extents_;
};

}  // namespace

regions::grid chunks_of(const formats::array_shape& shape) {
  std::vector<regions::cuts> dimensions;
  for (std::size_t d = 0; d < shape.extents.size(); ++d)
    dimensions.push_back(regions::cuts::even(0, shape.extents[d], shape.chunk[d]));
  return regions::grid(std::move(dimensions));
}

graph::chunked_ptr chunked_of(std::unique_ptr<formats::array_file> file,
                              std::shared_ptr<memory_source> scratch) {
  check_chunks(*file);
  return std::make_shared<file_chunks>(std::move(file), std::move(scratch));
}

}  // namespace pappus::detail
