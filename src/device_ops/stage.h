// One stage on one or several devices: what an operator works with, and the loop over chunks.
//
// Rows are cut into chunks that fit the device's budget twice, so that the copies of one overlap
// the kernels of the other (stream.cpp). Where a chunk ends can't change a result: operators whose
// result depends on the grouping of rows ask for multiples of a fixed number of rows. Chunks are
// dealt to the devices in turn, so that in a loop each finds its own again.
//
// An operator is a class here, one file each: it enqueues the work of a chunk, and later, when that
// is done, takes its results.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device_ops/device_rows.h"
#include "device_ops/element.h"
#include "device_ops/join_image.h"
#include "ops/operator.h"

namespace pappus::device_ops {

/// Rows that go into a stage: on the host, on devices, or both.
struct stage_input {
  detail::rows_ptr host;
  device_rows_ptr device;
  const detail::record_type& layout() const { return host ? host->layout() : device->layout(); }
  std::int64_t rows() const { return host ? host->rows() : device->rows(); }
};

/// A stage to be run. One per stage and run.
struct stage_run {
  const graph::node& node;
  std::vector<stage_input> inputs;
  std::vector<detail::rows_ptr> sides;   ///< contiguous, on the host
  std::vector<device_session*> devices;  ///< at least one
  detail::workers& team;
  const std::shared_ptr<memory::pool>& host_memory;
  std::int64_t rows = 0;
  std::int64_t chunk_rows = 0;  ///< the user's choice; 0: by memory
  bool in_loop = false;         ///< of a do_while: other iterations will read the same inputs
  bool stays = false;           ///< leave the result on the devices
  /// Of each input's records, to be sent alone; empty: whole records of all.
  std::vector<byte_ranges> parts{};
  std::string who;                  ///< the stage's operators, for errors
  std::vector<std::byte> values{};  ///< captured, as they are at the beginning of this run
  bool traps = false;               ///< functions have checks that may fail

  // The result: one of the two.
  detail::rows_ptr host_rows{};
  device_rows_ptr device_rows_left{};
  std::string note{};                 ///< what explain_analyze should tell
  std::vector<std::string> faults{};  ///< what went wrong and was put right
};

/// A set for the stage's result on the host, which keeps alive what its records may refer to.
std::shared_ptr<detail::row_set> empty_result(const stage_run& run);

/// Whether kernels use all inputs where they lie: nothing is uploaded.
bool inputs_in_place(const stage_run& run);

/// Rows of a chunk for operators that go through their input once and leave little behind, where
/// nothing is copied: enough to make launches cheap, few enough to be cancelled between.
inline constexpr double chunk_bytes_in_place = 64 << 20;

/// Fills in the captured values. Throws needs_cpu where they can't be read.
void take_values(stage_run& run);

class chunk_job;

/// What an operator does with chunks. enqueue() and complete() are called by the thread of the
/// chunk's device, in chunk order per device; different devices at the same time.
class chunk_operator {
 public:
  virtual ~chunk_operator() = default;
  /// Chunks are multiples of so many rows.
  virtual std::int64_t unit_rows() const { return 1; }
  /// Device memory per row besides the input's, bytes.
  virtual double row_bytes() const = 0;
  /// Device memory that every chunk needs besides, bytes.
  virtual double chunk_bytes() const { return 0; }
  /// Chunks are about this large where memory allows; operators that must merge chunks want more.
  virtual double chunk_bytes_preferred() const { return 0; }
  /// Enqueues a chunk's kernels and copies. May be called again for other chunks of the same rows
  /// when it threw device_error: nothing of a failed chunk may remain.
  virtual void enqueue(chunk_job& job) = 0;
  /// The chunk's operations are done.
  virtual void complete(chunk_job& job) = 0;
  /// Whether the CPU calls the users' functions for all rows, whatever it saw of earlier ones.
  virtual bool looks_at_all_rows() const { return true; }
  /// Takes the records that the CPU made of the chunk beginning at this row, in place of a device.
  /// False: it can't.
  virtual bool take(std::int64_t /*first*/, const detail::row_set& /*records*/) { return false; }
};

/// A chunk on its way through a device.
class chunk_job {
 public:
  device_session& on;
  stage_run& stage;
  const std::int64_t first, rows;  ///< which rows
  std::shared_ptr<void> state;     ///< the operator's, from enqueue() to complete()

  chunk_job(device_session& device, stage_run& run, std::int64_t first_row, std::int64_t row_count);

  /// Device memory that is held until the job is done, or longer by whoever keeps the pointer.
  memory::device_block_ptr acquire(std::size_t bytes);
  /// Device memory that holds these bytes, which must stay as they are until the job is done: a
  /// copy, or themselves. Kernels only read it.
  memory::device_block_ptr memory_with(const void* data, std::size_t bytes);
  /// Device memory for bytes that read() is to put at `to`: that memory itself, or some that is
  /// read from.
  memory::device_block_ptr memory_for(void* to, std::size_t bytes);
  /// Launches a kernel that takes ELEMENT_PARAMS and then `more`.
  void launch(const program& what, const kernel_entry& entry, std::size_t items,
              std::initializer_list<devices::argument> more);
  /// Enqueues a copy to the host after the kernels so far.
  void read(const devices::buffer& from, std::size_t offset, void* to, std::size_t bytes);
  /// Enqueues a copy to the device before the next kernels; `from` must stay until the job is done.
  void write(devices::buffer& to, std::size_t offset, const void* from, std::size_t bytes);
  /// Blocks until everything enqueued so far for this job is done.
  void wait();
  /// An input's rows on the device.
  const memory::device_block_ptr& input(std::size_t i) const { return inputs_[i]; }

  // For the loop over chunks.
  void upload();
  void enqueued();  ///< everything is; hands it to the device
  /// Blocks until that is done, whatever other chunks enqueued since.
  void complete();

 private:
  void upload_input(std::size_t number);
  memory::device_block_ptr in_place(const void* memory, std::size_t bytes);
  memory::device_block_ptr rows_in_place(const detail::row_set& set, std::int64_t first_row,
                                         std::int64_t row_count);
  void upload_host_rows(const detail::rows_ptr& set, const byte_ranges* parts);
  bool upload_parts(const detail::row_set& set, const byte_ranges& parts,
                    const devices::buffer& to);
  memory::device_block_ptr upload_side(const detail::rows_ptr& set);
  memory::device_block_ptr upload_index(const detail::rows_ptr& set);

  std::vector<memory::device_block_ptr> inputs_, sides_, held_;
  std::deque<join_image> indexes_;  // don't move while they are uploaded
  std::deque<detail::block> packed_;
  memory::device_block_ptr values_, trap_;
  std::uint32_t trapped_ = 0;
  devices::event uploaded_, computed_, downloaded_;
  bool done_ = false;  // what enqueue() asked for
  void wait_for_own();
};

/// The program of a stage: its element function and an operator's text.
/// \param defines  "#define" lines before it.
program stage_program(const graph::node& n, std::string_view operator_path,
                      std::string_view defines = {});

/// Runs an operator over all chunks of the stage. Throws device_error when memory doesn't suffice
/// for the smallest chunk or the device fails, and what the team's cancellation throws.
void stream_chunks(stage_run& run, chunk_operator& with);

/// Output of chunks, put together in row order whatever the order in which they were done.
class collected_rows {
 public:
  /// \param rows  exact: known beforehand, one record out per row; -1: not known.
  collected_rows(stage_run& run, std::int64_t rows);

  /// Room for `n` records on the host that come from a chunk's rows.
  std::byte* host_room(const chunk_job& job, std::int64_t n);
  /// Records that stay on the device.
  void leave(const chunk_job& job, memory::device_block_ptr block, std::int64_t n);
  /// Records that the CPU made of the chunk that begins at this row. False: they would have to stay
  /// on a device.
  bool put(std::int64_t first, const detail::row_set& records);
  /// Puts the result into the run.
  void finish();

 private:
  std::byte* room_at(std::int64_t first, std::int64_t n);
  struct piece {
    detail::block host;
    device_session* on = nullptr;
    memory::device_block_ptr device;
    std::int64_t rows = 0;
  };
  stage_run& run_;
  const std::int64_t rows_;
  detail::block all_;  // where the number of rows is known
  std::mutex mutex_;
  std::map<std::int64_t, piece> pieces_;  // by first row
};

/// Rows on the host as one chunk.
detail::rows_ptr download(const device_rows& rows, const std::shared_ptr<memory::pool>& host,
                          std::string_view who);
/// Some of them.
detail::rows_ptr download(const device_rows& rows, std::int64_t first, std::int64_t count,
                          const std::shared_ptr<memory::pool>& host, std::string_view who);

/// Thrown by operators for data that only the CPU can handle, or complain about in the user's
/// terms: the stage runs there.
struct needs_cpu {
  std::string reason;
};

/// Rows that were downloaded needn't be uploaded again: the state of a loop stays where it is.
void keep_copies(const device_rows& rows, const detail::rows_ptr& on_host);

/// Thrown by a chunk's job: a check in one of the users' functions failed. Nothing of the chunk is
/// used.
struct check_failed {
  std::int64_t first;  ///< the chunk's first row
};

/// What the CPU makes of some of the stage's rows. Throws what users' functions throw; of several
/// rows that would, of the first. Operators that only then put rows together yield none.
detail::rows_ptr rows_on_cpu(const stage_run& run, std::int64_t first, std::int64_t rows);

/// What planning asks of an operator.
struct support {
  std::string reason;            ///< why a node can't run on a device; empty: it can
  double launches = 1;           ///< per chunk
  double scratch_row_bytes = 0;  ///< device memory besides input and output
};

/// An operator's device version. One object a kind of operator, see program.cpp.
class device_operator {
 public:
  virtual ~device_operator() = default;
  /// \param on_host  the device runs the user's own loops: no device code is needed.
  virtual support supports(const graph::node& n, bool on_host) const = 0;
  virtual void run(stage_run& stage) const = 0;
  /// Its program for a node, to tell whether it is built.
  virtual program main_program(const graph::node& n) const = 0;
  virtual kernel_entry main_entry(const graph::node& n) const = 0;
};

/// Null for operators that only run on the CPU.
const device_operator* find(detail::op_kind kind);

}  // namespace pappus::device_ops
