// Collects what sessions run, and writes the page about it when the last of them ends.
//
// As traces do: sessions of a process that name the same file share its page, processes don't, and
// the last to end replaces the others'. Equal queries are kept once, of others those that took
// longest; threads' time is kept in slots (trace/timeline.h). So memory doesn't grow with what
// runs.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/atomic_file.h"
#include "io/activity.h"
#include "memory/pool.h"
#include "memory/store.h"
#include "report/facts.h"
#include "report/page.h"
#include "trace/timeline.h"

namespace pappus::report {

/// Thread-safe.
class collector final : public io::activity_listener {
 public:
  /// Different queries, or batches of launches, that are kept; faults; collections, of which it is
  /// known whether they are computed again.
  static constexpr std::size_t kept_max = 256, faults_max = 50, nodes_max = 2000;

  /// Throws usage_error where no such file can be written.
  explicit collector(std::string path);
  /// Writes the page unless write() did, and only warns on stderr where that fails.
  ~collector() override;

  /// A session begins, ends. Until then its memory is looked at.
  void begin_session(const void* session, const machine_facts& on,
                     std::shared_ptr<memory::pool> pool, std::shared_ptr<memory::store> store);
  void end_session(const void* session, const std::vector<std::string>& device_faults);

  /// Whether a query of this shape would be the first.
  bool is_new(std::uint64_t shape) const;
  void add(query_facts query);
  void add(launches_facts launches);
  /// A query threw.
  void add_failure(std::string_view what);

  const std::shared_ptr<trace::timeline>& timeline() const noexcept { return timeline_; }

  void was_active(io::activity what, clock::time_point begin,
                  clock::time_point end) noexcept override;

  page_content content() const;
  /// Gives the complete page its name. Throws format_error naming it.
  void write();

 private:
  struct member {
    std::shared_ptr<memory::pool> pool;
    std::shared_ptr<memory::store> store;
  };
  trace::memory_levels levels() const;
  void note_computed(const query_facts& query);  // with mutex_ locked

  const std::string path_;
  base::atomic_file file_;
  const clock::time_point start_ = clock::now();
  const std::shared_ptr<trace::timeline> timeline_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<const void*, member> open_;
  std::map<std::uint64_t, query_facts> queries_;
  std::map<std::uint64_t, launches_facts> launches_;
  std::map<std::uint64_t, recomputed_facts> computed_;  // by stage_facts::node
  std::set<std::string> device_faults_;
  page_content rest_;  // all but those
  bool written_ = false;
};

/// The collector for a path, shared by all sessions that name it. Throws as its constructor.
std::shared_ptr<collector> open_collector(const std::string& path);

}  // namespace pappus::report
