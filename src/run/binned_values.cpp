#include "run/binned_values.h"

#include <algorithm>
#include <bit>
#include <exception>
#include <utility>

#include "arrays/file_elements.h"
#include "arrays/leases.h"
#include "pappus/detail/base/integers.h"
#include "pappus/error.h"
#include "plan/batch.h"
#include "regions/parts.h"

namespace pappus::run {
namespace {

constexpr const char* values_owner = "values of for_each";

bin_shape shape_of(const arrays::launch& of, const plan::stage& stage, std::size_t argument) {
  const auto& array = *of.arguments[argument].array;
  bin_shape result;
  const auto elements = touched(of, argument, of.indices);
  auto last = elements.high;
  for (std::size_t d = 0; d < elements.rank; ++d) --last[d];
  result.first = number_in(array.all, elements.low);
  result.count = number_in(array.all, last) + 1 - result.first;
  result.shift = std::countr_zero(static_cast<std::uint64_t>(stage.bins->elements));
  result.bins = detail::ceil_div(result.count, stage.bins->elements);
  result.state_bytes = array.element.size;
  result.alignment = std::max<std::size_t>(array.element.align, 64);
  return result;
}

/// A leaf leaves half a chunk of each bin empty.
std::int64_t chunk_of(const plan::stage& stage, const bin_shape& shape) {
  constexpr std::int64_t least_bytes = 4096, most = 1024;
  const auto least =
      std::clamp<std::int64_t>(least_bytes / static_cast<std::int64_t>(shape.state_bytes), 1, 32);
  const auto values =
      plan::typical_cell(stage.leaves).volume() / std::max<std::int64_t>(shape.bins, 1) / 4;
  const auto wanted = std::clamp(values, least, most);
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(wanted)));
}

/// Memory is taken a huge page at a time where a leaf fills some.
std::size_t slab_of(const plan::stage& stage, const bin_shape& shape) {
  constexpr std::size_t least = 64 << 10, most = 2 << 20;
  const auto value = shape.state_bytes + sizeof(std::uint32_t);
  const auto leaf = static_cast<std::size_t>(plan::typical_cell(stage.leaves).volume()) * value;
  return std::clamp(std::bit_floor(leaf / 2), least, most);
}

/// The processor asks for what follows by itself.
void ask_for(const leaf_values::values& next, std::size_t state_bytes) {
  constexpr std::size_t line = 64, most = 1024;
  const auto count = static_cast<std::size_t>(next.count);
  for (std::size_t at = 0; at < std::min(count * sizeof(std::uint32_t), most); at += line)
    __builtin_prefetch(reinterpret_cast<const std::byte*>(next.places) + at);
  for (std::size_t at = 0; at < std::min(count * state_bytes, most); at += line)
    __builtin_prefetch(next.states + at);
}

}  // namespace

leaf_values::leaf_values(const bin_shape& shape, std::int64_t chunk, std::size_t slab_bytes,
                         detail::memory_source& memory)
    : chunk_(chunk),
      places_bytes_(detail::round_up(static_cast<std::size_t>(chunk) * sizeof(std::uint32_t),
                                     shape.alignment)),
      chunk_bytes_(detail::round_up(
          places_bytes_ + static_cast<std::size_t>(chunk) * shape.state_bytes, shape.alignment)),
      slab_bytes_(std::max(slab_bytes, chunk_bytes_)),
      memory_(memory),
      own_{.shift = shape.shift, .make_room = &make_room, .owner = this},
      bins_(static_cast<std::size_t>(shape.bins)),
      ends_(static_cast<std::size_t>(shape.bins)),
      used_(slab_bytes_),
      nowhere_(memory, chunk_bytes_, values_owner) {
  own_.bins = bins_.data();
}

void leaf_values::make_room(detail::value_bins& of, std::int64_t bin) noexcept {
  auto& own = *static_cast<leaf_values*>(of.owner);
  if (own.lost_) return own.point_to(bin, own.nowhere_.data());
  try {
    own.add_chunk(bin);
  } catch (const std::exception&) {
    own.lost_ = true;
    own.point_to(bin, own.nowhere_.data());
  }
}

void leaf_values::add_chunk(std::int64_t bin) {
  if (slab_bytes_ - used_ < chunk_bytes_) {
    slabs_.emplace_back(memory_, slab_bytes_, values_owner);
    used_ = 0;
  }
  auto* const memory = slabs_.back().data() + used_;
  chunks_.push_back({memory, -1});
  used_ += chunk_bytes_;
  const auto number = static_cast<std::int32_t>(chunks_.size()) - 1;
  auto& [first, last] = ends_[static_cast<std::size_t>(bin)];
  (first < 0 ? first : chunks_[static_cast<std::size_t>(last)].next) = number;
  last = number;
  point_to(bin, memory);
}

void leaf_values::point_to(std::int64_t bin, std::byte* memory) noexcept {
  bins_[static_cast<std::size_t>(bin)] = {reinterpret_cast<std::uint32_t*>(memory),
                                          states_in(memory), chunk_};
}

void leaf_values::check() const {
  if (lost_)
    throw memory_error(
        "values of for_each need more than the memory limit leaves; raise the limit "
        "(PAPPUS_HOST_MEMORY or options::host_memory) or use less data");
}

void leaf_values::list(std::int64_t bin, std::vector<values>& to) const {
  for (auto at = ends_[static_cast<std::size_t>(bin)].first; at >= 0;) {
    const auto& [memory, next] = chunks_[static_cast<std::size_t>(at)];
    const auto room = next < 0 ? bins_[static_cast<std::size_t>(bin)].room : 0;
    to.push_back(
        {reinterpret_cast<const std::uint32_t*>(memory), states_in(memory), chunk_ - room});
    at = next;
  }
}

struct binned_values::merging {
  std::vector<std::unique_ptr<leaf_values>> leaves;
  const binned_values* of = nullptr;
  std::atomic<std::int64_t> next{0};  // bin
  std::atomic<std::int64_t> left{0};  // bins that aren't merged
  std::mutex mutex{};
  std::exception_ptr failure{};  // the first; guarded by mutex
};

binned_values::binned_values(const arrays::launch& of, const plan::stage& stage)
    : launch_(of),
      stage_(stage),
      argument_(stage.partial.front()),
      shape_(shape_of(of, stage, argument_)),
      chunk_(chunk_of(stage, shape_)),
      slab_bytes_(slab_of(stage, shape_)) {}

binned_values::~binned_values() = default;

std::unique_ptr<leaf_values> binned_values::start(std::int64_t leaf) {
  {
    std::unique_lock lock(mutex_);
    // Those before it will be done without it, and then what waits is merged.
    const auto must_wait = [&] {
      if (short_ && *short_ < leaf) return true;
      return bytes_ >= stage_.bins->bytes && (merging_ != nullptr || first_missing() < leaf);
    };
    while (!given_up_ && must_wait()) help_or_wait(lock);
    check();
    ++running_;
  }
  return std::make_unique<leaf_values>(shape_, chunk_, slab_bytes_,
                                       *launch_.arguments[argument_].elements->source.budget);
}

void binned_values::check() const {
  if (failure_) std::rethrow_exception(failure_);
}

std::int64_t binned_values::first_missing() const {
  auto leaf = next_;
  for (auto at = waiting_.begin(); at != waiting_.end() && at->first == leaf; ++at) ++leaf;
  return leaf;
}

void binned_values::help_or_wait(std::unique_lock<std::mutex>& lock) {
  if (merging_ == nullptr || merging_->next.load() >= shape_.bins) return changed_.wait(lock);
  const auto with = merging_;
  lock.unlock();
  help(*with);
  lock.lock();
  changed_.notify_all();
}

bool binned_values::make_room(std::int64_t leaf, threads::team& team) {
  std::unique_lock lock(mutex_);
  --running_;
  changed_.notify_all();
  check();
  if (given_up_) return false;
  if (merging_ == nullptr) {
    if (auto leaves = take(1); !leaves.empty()) {
      merge(lock, std::move(leaves), team);
      return true;
    }
    if (next_ == leaf) {
      short_ = leaf;
      if (running_ == 0) return false;
    }
  }
  help_or_wait(lock);
  return true;
}

void binned_values::merge_some(std::unique_ptr<leaf_values> values, threads::team& team) {
  std::unique_lock lock(mutex_);
  --running_;
  bytes_ += values->bytes();
  std::vector<std::unique_ptr<leaf_values>> one;
  one.push_back(std::move(values));
  while (merging_ != nullptr) help_or_wait(lock);
  check();
  merge(lock, std::move(one), team);
}

void binned_values::place(leaf_values& into, std::span<detail::view_place> arguments) const {
  const auto& of = launch_.arguments[argument_];
  auto& bins = into.bins();
  bins.first = number_in(of.array->all, of.part.low) - shape_.first;
  arguments[argument_].bins = &bins;
}

bool binned_values::gave_up() {
  const std::lock_guard lock(mutex_);
  return given_up_;
}

void binned_values::give_up() {
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

std::vector<std::unique_ptr<leaf_values>> binned_values::take(std::size_t least) {
  std::size_t bytes = 0;
  auto end = waiting_.begin();
  auto leaf = next_;
  for (; end != waiting_.end() && end->first == leaf; ++end, ++leaf) bytes += end->second->bytes();
  std::vector<std::unique_ptr<leaf_values>> result;
  if (leaf == next_ || (bytes < least && leaf < stage_.leaves.size())) return result;
  for (auto at = waiting_.begin(); at != end; ++at) result.push_back(std::move(at->second));
  waiting_.erase(waiting_.begin(), end);
  next_ = leaf;
  return result;
}

void binned_values::finish(std::int64_t leaf, std::unique_ptr<leaf_values> values,
                           threads::team& team) {
  std::unique_lock lock(mutex_);
  if (values != nullptr) --running_;
  if (short_ == leaf) short_.reset();
  changed_.notify_all();
  check();
  if (values == nullptr) {
    ++next_;
  } else if (!given_up_) {
    bytes_ += values->bytes();
    waiting_.emplace(leaf, std::move(values));
  }
  changed_.notify_all();
  while (merging_ == nullptr && !given_up_) {
    auto leaves = take(stage_.bins->bytes);
    if (leaves.empty()) return;
    merge(lock, std::move(leaves), team);
  }
}

void binned_values::merge(std::unique_lock<std::mutex>& lock,
                          std::vector<std::unique_ptr<leaf_values>> leaves, threads::team& team) {
  const auto work = std::make_shared<merging>();
  work->leaves = std::move(leaves);
  work->of = this;
  work->left = shape_.bins;
  merging_ = work;
  lock.unlock();
  changed_.notify_all();
  const auto take_part = [](void* context) {
    auto& with = *static_cast<merging*>(context);
    with.of->help(with);
  };
  if (team.threads() > 1)
    team.join_in(team.threads() - 1, take_part, work.get());
  else
    help(*work);
  lock.lock();
  changed_.wait(lock, [&] { return work->left.load() == 0; });
  merging_ = nullptr;
  for (const auto& each : work->leaves) bytes_ -= each->bytes();
  work->leaves.clear();
  changed_.notify_all();
  if (!work->failure) return;
  given_up_ = true;
  failure_ = work->failure;
  check();
}

void binned_values::help(merging& with) const {
  for (std::int64_t bin; (bin = with.next.fetch_add(1)) < shape_.bins;) {
    try {
      merge_bin(with.leaves, bin);
    } catch (...) {
      const std::lock_guard lock(with.mutex);
      if (!with.failure) with.failure = std::current_exception();
    }
    with.left.fetch_sub(1);
  }
}

void binned_values::merge_bin(const std::vector<std::unique_ptr<leaf_values>>& leaves,
                              std::int64_t bin) const {
  std::vector<leaf_values::values> all;
  for (const auto& leaf : leaves) leaf->list(bin, all);
  if (all.empty()) return;
  const auto& of = launch_.arguments[argument_];
  const auto& array = *of.array;
  const auto first = shape_.first + (bin << shape_.shift);
  const auto end = std::min(first + (std::int64_t{1} << shape_.shift), shape_.first + shape_.count);
  const auto lease = arrays::with_room(
      launch_, nullptr, [&] { return lease_numbers(array, *of.elements, first, end); });
  auto* const to = of.elements->data + first * static_cast<std::int64_t>(shape_.state_bytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + 1 < all.size()) ask_for(all[i + 1], shape_.state_bytes);
    of.reduction.merge_at(to, all[i].places, all[i].states, all[i].count);
  }
}

}  // namespace pappus::run
