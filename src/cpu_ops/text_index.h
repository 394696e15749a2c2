// The index of a join whose keys are texts.
//
// Each text is looked up by a word of 8 bytes. Where all of the build side have few bytes, as codes
// and short names do, the word is the text with its length: who finds it has found the text. Else
// it is a hash, and a probe compares one text per row, since all rows of a run have the same: those
// of up to 15 bytes as numbers, without going to where they lie. A table of hashes would be wrong
// if two different texts of the build side had the same one, so that is looked for, and everything
// hashed again with another seed should it happen.
//
// Alternatives: codes of 16 bytes (detail/base/text_code.h) in the table, with numbers of longer
// texts: buckets have room for half as many, nothing compares several at once, and longer texts
// are looked up twice.
#pragma once

#include "algorithms/join_index.h"
#include "cpu_ops/contract.h"
#include "pappus/detail/base/memory.h"
#include "pappus/detail/base/text_key.h"

namespace pappus::cpu_ops {

/// Makes `index`, which has index.rows > 0 rows, one of their keys.
/// \param texts  text_keys, whose text must outlive the index
void index_texts(const run_context& context, detail::buffer texts, join_index& index);

/// Looks up the batch's rows, of which these are the keys.
void find_texts(const join_index& index, const detail::text_key* keys, detail::join_batch& batch);

}  // namespace pappus::cpu_ops
