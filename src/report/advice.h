// What would make the queries of a session faster, as far as what is known of them says so.
//
// Each rule is a function of values: it looks at a stage, a query or all of it, and yields a
// sentence with the number that it rests on, the remedy, and where that is documented; or nothing.
// Rules leave out what took too little of the time to matter. None guesses: what isn't measured,
// planned or counted isn't advised about.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/page.h"

namespace pappus::report {

struct advice {
  std::string finding;  ///< what was found, with its number
  std::string remedy;
  std::string page;    ///< of the documentation: "guides/memory.md"
  double seconds = 0;  ///< that are at stake, about: the most comes first
};

/// What took less isn't worth a sentence.
inline constexpr double seconds_of_interest = 0.01;

// Of a stage; `name` is what the page calls it: "query 2, s1 sort_by".
std::optional<advice> ran_on_one_thread(const std::string& name, const stage_facts& s,
                                        unsigned threads);
std::optional<advice> kept_off_devices(const std::string& name, const stage_facts& s);
std::optional<advice> moved_to_cpu(const std::string& name, const stage_facts& s);
std::optional<advice> maths_one_at_a_time(const std::string& name, const stage_facts& s);
std::optional<advice> copies_longer_than_kernels(const std::string& name, const stage_facts& s);
std::optional<advice> text_of_unused_columns(const std::string& name, const stage_facts& s);
std::optional<advice> computed_twice(const std::string& name, const stage_facts& s);

/// \param joins  the stage that looks keys up in the index
std::optional<advice> index_beyond_caches(const std::string& name, const stage_facts& index,
                                          const stage_facts& joins, const machine_facts& on);

// Of a query.
std::optional<advice> went_to_the_disk(const std::string& name, const query_facts& q,
                                       const machine_facts& on);
std::optional<advice> many_short_runs(const std::string& name, const query_facts& q);

// Of all queries.
/// Of each file that was read again and again.
std::vector<advice> read_again(std::span<const query_facts> queries);
std::optional<advice> computed_again(const recomputed_facts& of);
/// \param decompression_s  that threads decompressed
std::optional<advice> waited_for_decompression(std::span<const query_facts> queries,
                                               double decompression_s);

/// All rules about all queries, what saves most first; at most `most` of them.
std::vector<advice> advice_on(const page_content& of, std::size_t most = 20);

}  // namespace pappus::report
