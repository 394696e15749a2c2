#include "formats/codecs/codec_chain.h"

#include <cstring>
#include <utility>

namespace pappus::formats {

std::string codec_chain::name() const {
  std::string text;
  for (const codec_pointer& each : codecs_) text += (text.empty() ? "" : ", ") + each->name();
  return text;
}

std::size_t codec_chain::bound(std::size_t n) const noexcept {
  for (const codec_pointer& each : codecs_) n = each->bound(n);
  return n;
}

std::size_t codec_chain::scratch_bytes(std::size_t n) const noexcept {
  std::size_t all = 0;  // what the first codec decodes goes to the caller
  for (std::size_t i = 0; i + 1 < codecs_.size(); ++i) all += n = codecs_[i]->bound(n);
  return all;
}

void codec_chain::decode(std::span<const std::byte> stored, detail::memory_source& memory,
                         std::string_view owner, std::span<std::byte> out,
                         std::uint32_t skipped) const {
  std::vector<const codec*> passed;
  std::vector<std::size_t> plain_bytes;  // at most, of each codec
  for (std::size_t i = 0, n = out.size(); i < codecs_.size(); ++i) {
    if (i < 32 && (skipped >> i & 1U) != 0) continue;
    passed.push_back(codecs_[i].get());
    plain_bytes.push_back(n);
    n = codecs_[i]->bound(n);
  }
  std::span<const std::byte> now = stored;
  detail::buffer held;
  for (std::size_t i = passed.size(); i-- > 0;) {
    if (now.empty()) throw codec_problem(passed[i]->name() + ": expected bytes, got none");
    if (const auto plain = passed[i]->plain_part(now)) {
      now = *plain;
      continue;
    }
    detail::buffer next(memory, i == 0 ? 0 : plain_bytes[i], owner);
    const std::span<std::byte> room = i == 0 ? out : std::span(next.data(), next.size());
    now = room.first(passed[i]->decode(now, room));
    held = std::move(next);
  }
  if (now.size() != out.size()) {
    throw codec_problem("expected " + std::to_string(out.size()) + " decoded bytes, got " +
                        std::to_string(now.size()));
  }
  if (now.data() != out.data()) std::memcpy(out.data(), now.data(), now.size());
}

std::span<const std::byte> codec_chain::plain_part(std::span<const std::byte> stored) const {
  for (std::size_t i = codecs_.size(); i-- > 0;) {
    const auto plain = codecs_[i]->plain_part(stored);
    if (!plain) throw codec_problem(codecs_[i]->name() + ": expected a codec that keeps bytes");
    stored = *plain;
  }
  return stored;
}

codec_chain::encoded codec_chain::encode(std::span<const std::byte> plain,
                                         detail::memory_source& memory,
                                         std::string_view owner) const {
  encoded result{{}, plain};
  for (const codec_pointer& each : codecs_) {
    detail::buffer next(memory, each->bound(result.bytes.size()), owner);
    const std::size_t made = each->encode(result.bytes, {next.data(), next.size()});
    result = {std::move(next), {}};
    result.bytes = {result.memory.data(), made};
  }
  return result;
}

}  // namespace pappus::formats
