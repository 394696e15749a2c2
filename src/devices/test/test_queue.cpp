#include "devices/test/test_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "pappus/detail/base/integers.h"

namespace pappus::devices::test {
namespace {

/// How much of its work an operation does.
std::size_t part(outcome how, std::size_t all, random& numbers) {
  return how == outcome::complete ? all : numbers.below(all + 1);
}

void check_zones(const device_state& state, const std::string& operation, const test_buffer& b) {
  if (const auto at = b.memory.damage())
    state.die(
        fmt::format("{}: found offset {} of a buffer of {} bytes written, by a kernel that ran "
                    "before it",
                    operation, *at, b.bytes));
}

}  // namespace

struct alignas(64) value_slot {
  std::byte bytes[argument_bytes_max];
};

/// A launch, from the call to the thread.
struct prepared_launch {
  const device_state* state;
  std::string name;
  std::shared_ptr<const void> context;
  host_kernel host;
  std::size_t items = 0, group = 1;
  std::vector<void*> addresses;
  std::vector<value_slot> values;
  std::vector<std::pair<std::size_t, const test_buffer*>> buffers;  // by argument

  void run(outcome how, random numbers) const;
  void check(const test_buffer& b, std::size_t argument) const;
};

// Groups stay whole: their work-items may work together. Pieces are cut anywhere else.
void prepared_launch::run(outcome how, random numbers) const {
  const auto groups = items / group;
  if (groups == 0) return;
  std::vector<std::size_t> cuts{0, groups};
  for (auto more = numbers.below(8); more > 0; --more) cuts.push_back(numbers.below(groups));
  std::ranges::sort(cuts);
  std::vector<std::pair<std::size_t, std::size_t>> pieces;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    if (cuts[i] < cuts[i + 1]) pieces.emplace_back(cuts[i] * group, cuts[i + 1] * group);
  for (std::size_t i = pieces.size(); i > 1; --i)
    std::swap(pieces[i - 1], pieces[numbers.below(i)]);
  pieces.resize(part(how, pieces.size(), numbers));
  const host_launch launch{context.get(), addresses.data(), addresses.size(), items};
  try {
    for (const auto& [begin, end] : pieces) host(launch, begin, end);
  } catch (const std::exception& e) {
    state->trap(fmt::format("{}: its function threw: {}", name, e.what()));
  } catch (...) {
    state->trap(fmt::format("{}: its function threw", name));
  }
  for (const auto& [argument, b] : buffers) check(*b, argument);
}

void prepared_launch::check(const test_buffer& b, std::size_t argument) const {
  if (const auto at = b.memory.damage())
    state->die(
        fmt::format("{} wrote at offset {} of argument {}, a buffer of {} bytes ({} items "
                    "ran: kernels must test their number)",
                    name, *at, argument, b.bytes, items));
}

test_queue::test_queue(state_ptr owner)
    : owner_(std::move(owner)), number_(owner_->operations.open_queue()) {}

test_queue::~test_queue() {
  const only_caller alone(*owner_);
  owner_->operations.close_queue(number_);
}

operation_ptr test_queue::begin(call_kind kind, std::string_view what,
                                std::span<const event> after) {
  auto op = std::make_shared<operation>();
  op->injected = owner_->next_call(kind);
  op->call = owner_->faults.number();
  op->queue = number_;
  op->owner = owner_.get();
  op->name = fmt::format("{} of {} (call {})", to_string(kind), what, op->call);
  auto numbers = owner_->faults.numbers();
  if (op->injected == fault::out_of_memory && numbers.coin())
    owner_->raise({fault::out_of_memory,
                   fmt::format("{}: out of memory, injected by the test device", op->name)});
  if (numbers.below(4) == 0)
    op->delay = std::chrono::microseconds(numbers.below(owner_->how.delay_us + 1));
  for (const auto& one : after) {
    if (!one) continue;
    auto other = std::static_pointer_cast<operation>(one);
    if (other->owner != owner_.get())
      owner_->die(fmt::format("{} is to wait for an event of another device", op->name));
    op->after.push_back(std::move(other));
  }
  return op;
}

const test_buffer& test_queue::own(operation& op, const buffer& memory) {
  const auto* mine = dynamic_cast<const test_buffer*>(&memory);
  if (mine == nullptr || mine->owner != owner_)
    owner_->die(fmt::format("{} uses a buffer of another device", op.name));
  op.uses.push_back(&mine->use);
  return *mine;
}

const test_buffer& test_queue::range(operation& op, const buffer& memory, std::size_t offset,
                                     std::size_t bytes) {
  const auto& mine = own(op, memory);
  if (offset > mine.bytes || bytes > mine.bytes - offset)
    owner_->die(fmt::format("{}: bytes {} to {} of a buffer of {} bytes", op.name, offset,
                            offset + bytes, mine.bytes));
  return mine;
}

event test_queue::write(buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                        std::span<const event> after) {
  const only_caller alone(*owner_);
  const auto op = begin(call_kind::write, base::bytes_text(static_cast<double>(bytes)), after);
  const auto& target = range(*op, to, offset, bytes);
  op->run = [=, &target, state = owner_.get(), name = op->name,
             numbers = owner_->faults.numbers()](outcome how) mutable {
    if (bytes > 0) std::memcpy(target.memory.data() + offset, from, part(how, bytes, numbers));
    check_zones(*state, name, target);
  };
  return enqueue(op);
}

event test_queue::read(const buffer& from, std::size_t offset, void* to, std::size_t bytes,
                       std::span<const event> after) {
  const only_caller alone(*owner_);
  const auto op = begin(call_kind::read, base::bytes_text(static_cast<double>(bytes)), after);
  const auto& source = range(*op, from, offset, bytes);
  op->run = [=, &source, state = owner_.get(), name = op->name,
             numbers = owner_->faults.numbers()](outcome how) mutable {
    if (bytes > 0) {
      std::memset(to, poison, bytes);
      std::memcpy(to, source.memory.data() + offset, part(how, bytes, numbers));
    }
    check_zones(*state, name, source);
  };
  return enqueue(op);
}

event test_queue::copy(const buffer& from, std::size_t from_offset, buffer& to,
                       std::size_t to_offset, std::size_t bytes, std::span<const event> after) {
  const only_caller alone(*owner_);
  const auto op = begin(call_kind::copy, base::bytes_text(static_cast<double>(bytes)), after);
  const auto& source = range(*op, from, from_offset, bytes);
  const auto& target = range(*op, to, to_offset, bytes);
  if (&source == &target && from_offset < to_offset + bytes && to_offset < from_offset + bytes)
    owner_->die(fmt::format("{} overlaps itself: offsets {} and {} of one buffer", op->name,
                            from_offset, to_offset));
  op->run = [=, &source, &target, state = owner_.get(), name = op->name,
             numbers = owner_->faults.numbers()](outcome how) mutable {
    std::memcpy(target.memory.data() + to_offset, source.memory.data() + from_offset,
                part(how, bytes, numbers));
    check_zones(*state, name, source);
    check_zones(*state, name, target);
  };
  return enqueue(op);
}

event test_queue::fill(buffer& to, std::size_t offset, std::size_t bytes, std::uint8_t value,
                       std::span<const event> after) {
  const only_caller alone(*owner_);
  const auto op = begin(call_kind::fill, base::bytes_text(static_cast<double>(bytes)), after);
  const auto& target = range(*op, to, offset, bytes);
  op->run = [=, &target, state = owner_.get(), name = op->name,
             numbers = owner_->faults.numbers()](outcome how) mutable {
    std::memset(target.memory.data() + offset, value, part(how, bytes, numbers));
    check_zones(*state, name, target);
  };
  return enqueue(op);
}

event test_queue::launch(const kernel& what, const grid& size, std::span<const argument> arguments,
                         std::span<const event> after) {
  const only_caller alone(*owner_);
  const auto* mine = dynamic_cast<const test_kernel*>(&what);
  if (mine == nullptr || mine->owner != owner_)
    owner_->die("launch of a kernel that another device built");
  const auto op = begin(call_kind::launch, mine->source.name, after);
  op->uses.push_back(&mine->use);
  if (size.group > owner_->about.group_items_max)
    owner_->die(fmt::format("{}: groups of {} items, at most {} are possible", op->name, size.group,
                            owner_->about.group_items_max));
  auto numbers = owner_->faults.numbers();
  auto launch = std::make_shared<prepared_launch>();
  launch->state = owner_.get();
  launch->name = op->name;
  launch->context = mine->source.host_context;
  launch->host = mine->source.host;
  launch->group = std::max<std::size_t>(size.group, 1);
  if (size.items > 0)
    launch->items =
        size.group > 0 ? detail::round_up(size.items, size.group) : size.items + numbers.below(64);
  take_arguments(*launch, *op, arguments);
  op->run = [launch, numbers](outcome how) { launch->run(how, numbers); };
  return enqueue(op);
}

void test_queue::take_arguments(prepared_launch& launch, operation& op,
                                std::span<const argument> arguments) {
  launch.values.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& a = arguments[i];
    if (a.memory != nullptr) {
      const auto& b = own(op, *a.memory);
      b.last_kernel = op.name;
      launch.buffers.emplace_back(i, &b);
      launch.addresses.push_back(b.memory.data());
      continue;
    }
    if (a.value() == nullptr || a.bytes == 0 || a.bytes > argument_bytes_max)
      owner_->die(fmt::format("{}: argument {} is neither a buffer nor a value of 1 to {} bytes",
                              op.name, i, argument_bytes_max));
    auto& slot = launch.values[i];
    std::memset(&slot, poison, sizeof slot);  // for kernels that take it for a wider type
    std::memcpy(&slot, a.value(), a.bytes);
    launch.addresses.push_back(&slot);
  }
}

event test_queue::enqueue(operation_ptr op) {
  owner_->operations.enqueue(op);
  return op;
}

void test_queue::flush() {
  const only_caller alone(*owner_);
  owner_->next_call(call_kind::flush);
  owner_->operations.flush(number_);
}

void test_queue::wait(const event& done) {
  const only_caller alone(*owner_);
  owner_->count_call(call_kind::wait);
  const auto op = std::static_pointer_cast<operation>(done);
  if (op && (op->owner != owner_.get() || op->queue != number_))
    owner_->die(fmt::format("a queue waits for {}, an operation of another queue", op->name));
  // A device that is gone tells nothing about single operations, so the caller learns nothing.
  if (owner_->operations.lost()) owner_->raise(*owner_->operations.lost());
  if (!op) return;
  if (const auto failed = owner_->operations.wait(op)) owner_->raise(*failed);
  owner_->raise_trap();
}

void test_queue::finish() {
  const only_caller alone(*owner_);
  owner_->count_call(call_kind::finish);
  if (const auto failed = owner_->operations.finish(number_)) owner_->raise(*failed);
  owner_->raise_trap();
}

}  // namespace pappus::devices::test
