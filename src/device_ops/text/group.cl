// Rows reduced by key.
//
// Problem: rows of a group lie anywhere, and states may be of any kind, so that atomics are no
// help; sums of floats must not depend on who was faster.
//
// Idea: leaves of a fixed number of rows are reduced on their own, each group in row order; the
// host merges leaves. Three ways:
//   add_to_tables   keys are 0, ..., last_key and few: a work-item has a leaf and a table for it,
//                   which stays in a core's cache. Where devices aren't like a CPU a work-group has
//                   TABLE_LEAVES leaves, whose tables are as many as its items: these compute keys
//                   and values of a tile with rows of each leaf, then each looks through the keys of
//                   its leaf for those of its group, and so adds in row order, too. Neighbours look
//                   at the same place at a time, which costs as much as one of them.
//   add_to_hash_tables  few of any keys, on devices like a CPU: a work-item has a leaf and a hash
//                   table for it. A leaf with too many groups for its table goes the third way,
//                   where its states become the same.
//   the others      any keys. extract_rows makes keys and values of a leaf's rows; blocks of rows
//                   write those they keep one after another, and pack_keys moves the blocks
//                   together where rows were dropped. Then keys are sorted with the places of their
//                   values (sort.cl), groups are runs (segments.cl), and fold_groups reduces each.
//                   Where devices aren't like a CPU rows take the place of blocks, and keys of 4
//                   bytes stand behind the number of their leaf, so that all leaves of a chunk are
//                   sorted at once.
//
// Alternatives: hash tables that work-items share need atomic insertion and, again, states that
// atomics can reduce: 10^8 rows of 100 groups take an H100 0.6 ms so, add_to_tables 4. Leaves
// that were sorted one after another took 2.3 s.
//
// Not here: one group's rows shared out among several work-items; it would add in another order.

#if !LIKE_HOST
// A reducer that looks at no values has none to store.
#ifndef WITH_VALUES
#define WITH_VALUES 1
#endif
#define GROUP_VALUES GLOBAL group_value*
#if WITH_VALUES
#define STORE_VALUE(values, at, value, bytes) ((values)[at] = (value))
#define VALUE_AT(values, at, bytes) ((values)[at])
#else
#define STORE_VALUE(values, at, value, bytes) ((void)(value))
#define VALUE_AT(values, at, bytes) ((group_value)0)
#endif
#define ADD_VALUE(args, state, value) accumulate(args, state, value)
#endif

// Where any key is one of the domain's, there is nothing to compare.
#if ANY_KEY
#define IS_OUTSIDE(key, last_key) 0
#else
#define IS_OUTSIDE(key, last_key) ((key) > (last_key))
#endif

// What is sorted, of a key in a row.
#if LIKE_CPU || KEY_BYTES != 4
#define SORTED_KEY group_key
#define SORTED(key, row, leaf_rows) ((void)(row), (void)(leaf_rows), (key))
#else
#define SORTED_KEY ulong
#define SORTED(key, row, leaf_rows) ((ulong)((row) / (leaf_rows)) << 32 | (ulong)(key))
#endif

#define COPY_STATE(to, from, bytes)  \
  do {                               \
    LEAF_STATE(state_);              \
    LOAD_STATE(state_, from, bytes); \
    STORE_STATE(state_, to, bytes);  \
  } while (0)
#define ADD_AT(place, value, bytes)         \
  do {                                      \
    LEAF_STATE(state_);                     \
    LOAD_STATE(state_, place, bytes);       \
    ADD_VALUE(ELEMENT_ARGS, state_, value); \
    STORE_STATE(state_, place, bytes);      \
  } while (0)

// A leaf's table of states, which are at `place` in the end. Users' functions take states in private
// memory: where a table is small, it lies there meanwhile, and no state is copied for each row.
// TABLE_STATES is how many it has room for, 0 where it is large.
#if LIKE_CPU && TABLE_STATES
#define TABLE(table, place) reducer_state table[TABLE_STATES]
#define SET_IN_TABLE(table, i, from, bytes) ((table)[i] = *(GLOBAL const reducer_state*)(from))
#define ADD_TO_TABLE(table, i, value, bytes) ADD_VALUE(ELEMENT_ARGS, &(table)[i], value)
#define END_TABLE(table, states, place) \
  for (long i_ = 0; i_ < (states); ++i_) ((GLOBAL reducer_state*)(place))[i_] = (table)[i_]
#else
#define TABLE(table, place) GLOBAL uchar* table = place
#define SET_IN_TABLE(table, i, from, bytes) COPY_STATE((table) + (i) * (bytes), from, bytes)
#define ADD_TO_TABLE(table, i, value, bytes) ADD_AT((table) + (i) * (bytes), value, bytes)
#define END_TABLE(table, states, place)
#endif

DEVICE long block_begin(long rows, long block, long blocks) {
  return (long)((ulong)rows * (ulong)block / (ulong)blocks);
}

// faults[leaf] is 1 if the leaf has a key that isn't in its table.
#if LIKE_CPU || !GROUP_TILE
KERNEL void add_to_tables(ELEMENT_PARAMS, long rows, long leaf_rows, ulong last_key,
                          GLOBAL const uchar* initial, GLOBAL uchar* tables, GLOBAL uint* faults,
                          long state_bytes) {
  const long leaves = (rows + leaf_rows - 1) / leaf_rows, states = (long)last_key + 1;
  FOR_ROWS(leaf, leaves) {
    GLOBAL uchar* place = tables + leaf * states * state_bytes;
    TABLE(table, place);
    for (long i = 0; i < states; ++i) SET_IN_TABLE(table, i, initial, state_bytes);
    uint fault = 0;
    const long end = (leaf + 1) * leaf_rows < rows ? (leaf + 1) * leaf_rows : rows;
    for (long row = leaf * leaf_rows; row < end; ++row) {
      group_key key;
      group_value value;
      const int found = group_row(ELEMENT_ARGS, row, &key, &value);
      if (found == 0) continue;
      if (found != 1 || IS_OUTSIDE(key, last_key)) {
        fault = 1;
        continue;
      }
      ADD_TO_TABLE(table, (long)key, value, state_bytes);
    }
    END_TABLE(table, states, place);
    faults[leaf] = fault;
  }
}
#else
#define NO_GROUP (~(uint)0)

// Adds the rows of a stretch, whose length is a multiple of four, that are `group`'s.
#define ADD_ROWS_OF(group, group_of, length, add)                                         \
  for (uint four_ = 0; four_ < (length); four_ += 4) {                                    \
    const uint a_ = (group_of)[four_], b_ = (group_of)[four_ + 1];                        \
    const uint c_ = (group_of)[four_ + 2], d_ = (group_of)[four_ + 3];                    \
    if (a_ != (group) && b_ != (group) && c_ != (group) && d_ != (group)) continue;       \
    for (uint at = four_; at < four_ + 4; ++at)                                           \
      if ((group_of)[at] == (group)) add;                                                 \
  }

// Rows of a leaf that a tile has.
#define TILE_STRETCH (GROUP_TILE / TABLE_LEAVES)

// A group for each work-item has its state in private memory, more of them theirs in the table: then
// TABLE_LEAVES is 1.
KERNEL void add_to_tables(ELEMENT_PARAMS, long rows, long leaf_rows, ulong last_key,
                          GLOBAL const uchar* initial, GLOBAL uchar* tables, GLOBAL uint* faults,
                          long state_bytes) {
  LOCAL uint group_of[GROUP_TILE];
  LOCAL group_value value_of[GROUP_TILE];
  const long leaves = (rows + leaf_rows - 1) / leaf_rows, states = (long)last_key + 1;
  const uint step = (uint)GROUP_ITEMS;
  const uint own_leaf = TABLE_LEAVES == 1 ? 0 : (uint)GROUP_ITEM / (uint)states;
  const uint own = (uint)GROUP_ITEM - own_leaf * (uint)states;
  for (long leaf = (long)GROUP * TABLE_LEAVES; leaf < leaves;
       leaf += (long)(ITEMS / GROUP_ITEMS) * TABLE_LEAVES) {
    const int adds = own < states && own_leaf < TABLE_LEAVES && leaf + own_leaf < leaves;
    GLOBAL uchar* table = tables + (leaf + own_leaf) * states * state_bytes;
    LEAF_STATE(state);
    LOAD_STATE(state, initial, state_bytes);
    for (long i = own + step; TABLE_LEAVES == 1 && i < states; i += step)
      COPY_STATE(table + i * state_bytes, initial, state_bytes);
    if (adds && own == 0) faults[leaf + own_leaf] = 0;
    BARRIER();
    for (long first = 0; first < leaf_rows && leaf * leaf_rows + first < rows;
         first += TILE_STRETCH) {
      for (uint at = (uint)GROUP_ITEM; at < GROUP_TILE; at += step) {
        const long of = leaf + at / TILE_STRETCH, in_leaf = first + at % TILE_STRETCH;
        const long row = of * leaf_rows + in_leaf;
        uint group = NO_GROUP;
        if (in_leaf < leaf_rows && row < rows) {
          group_key key;
          group_value value;
          const int found = group_row(ELEMENT_ARGS, row, &key, &value);
          const int fault = found != 1 || IS_OUTSIDE(key, last_key);
          if (!fault) {
            group = (uint)key;
            value_of[at] = value;
          } else if (found != 0) {
            faults[of] = 1;
          }
        }
        group_of[at] = group;
      }
      BARRIER();
      const uint stretch = own_leaf * TILE_STRETCH;
      if (adds)
        ADD_ROWS_OF(own, group_of + stretch, TILE_STRETCH,
                    ADD_VALUE(ELEMENT_ARGS, state, value_of[stretch + at]));
      for (uint group = own + step; TABLE_LEAVES == 1 && group < states; group += step)
        ADD_ROWS_OF(group, group_of, GROUP_TILE,
                    ADD_AT(table + group * state_bytes, value_of[at], state_bytes));
      BARRIER();
    }
    if (adds) STORE_STATE(state, table + own * state_bytes, state_bytes);
  }
}
#endif

#if LIKE_CPU
// Rows [begin, end) by a table of 1 << slot_bits slots: the number of a group plus 1, or 0. Groups are
// numbered as they come, so that their keys and states lie close together: caches hold more of them
// than of a table half full. Returns how many there are, room + 1 where there are more than `room`,
// less than slots, and ~0 for a key greater than last_key.
DEVICE uint fill_hash_table(ELEMENT_PARAMS, long begin, long end, ulong last_key, long slot_bits,
                            GLOBAL const uchar* initial, GLOBAL uint* table, GLOBAL group_key* keys,
                            GLOBAL uchar* states, uint room, long state_bytes) {
  const long slots = (long)1 << slot_bits;
  for (long i = 0; i < slots; ++i) table[i] = 0;
  uint groups = 0;
  for (long row = begin; row < end; ++row) {
    group_key key;
    group_value value;
    const int found = group_row(ELEMENT_ARGS, row, &key, &value);
    if (found == 0) continue;
    if (found != 1 || IS_OUTSIDE(key, last_key)) return ~(uint)0;
    long at = (long)((ulong)key * 0x9E3779B97F4A7C15UL >> (64 - slot_bits));
    while (table[at] != 0 && keys[table[at] - 1] != key) at = (at + 1) & (slots - 1);
    if (table[at] == 0) {
      if (groups == room) return room + 1;
      COPY_STATE(states + (long)groups * state_bytes, initial, state_bytes);
      keys[groups] = key;
      table[at] = ++groups;
    }
    ADD_AT(states + (long)(table[at] - 1) * state_bytes, value, state_bytes);
  }
  return groups;
}

// The groups of leaf l go to keys and states from l * room on, in no order; counts[l] is what
// fill_hash_table returns. Each leaf has a table of its own.
KERNEL void add_to_hash_tables(ELEMENT_PARAMS, long rows, long leaf_rows, ulong last_key,
                               long slot_bits, GLOBAL const uchar* initial, GLOBAL uint* tables,
                               long room, GLOBAL group_key* keys, GLOBAL uchar* states,
                               GLOBAL uint* counts, long state_bytes) {
  const long leaves = (rows + leaf_rows - 1) / leaf_rows;
  FOR_ROWS(leaf, leaves) {
    const long end = (leaf + 1) * leaf_rows < rows ? (leaf + 1) * leaf_rows : rows;
    counts[leaf] =
        fill_hash_table(ELEMENT_ARGS, leaf * leaf_rows, end, last_key, slot_bits, initial,
                        tables + (leaf << slot_bits), keys + leaf * room,
                        states + leaf * room * state_bytes, (uint)room, state_bytes);
  }
}
#endif

#if LIKE_CPU
// Rows [begin, begin + rows). What a block keeps begins where the block does; counts[block] is how
// much, and behind those and a place for their sum, counts[blocks + 1 + block] is 1 if a key is
// greater than last_key.
KERNEL void extract_rows(ELEMENT_PARAMS, long begin, long rows, long leaf_rows, long blocks,
                         ulong last_key, GLOBAL SORTED_KEY* keys, GROUP_VALUES group_values,
                         GLOBAL uint* counts, long value_bytes) {
  for (long block = (long)ITEM; block < blocks; block += (long)ITEMS) {
    const long first = block_begin(rows, block, blocks), end = block_begin(rows, block + 1, blocks);
    long at = first;
    uint fault = 0;
    for (long row = first; row < end; ++row) {
      group_key key;
      group_value value;
      const int found = group_row(ELEMENT_ARGS, begin + row, &key, &value);
      if (found == 0) continue;
      if (found != 1 || IS_OUTSIDE(key, last_key)) {
        fault = 1;
        continue;
      }
      keys[at] = SORTED(key, begin + row, leaf_rows);
      STORE_VALUE(group_values, at, value, value_bytes);
      ++at;
    }
    counts[block] = (uint)(at - first);
    counts[blocks + 1 + block] = fault;
  }
}

// places[block] is the number of rows that the blocks before it keep. positions[i] is where the
// value of key i lies.
KERNEL void pack_keys(GLOBAL const SORTED_KEY* keys, long rows, long blocks,
                      GLOBAL const uint* places, GLOBAL SORTED_KEY* packed,
                      GLOBAL uint* positions) {
  for (long block = (long)ITEM; block < blocks; block += (long)ITEMS) {
    long from = block_begin(rows, block, blocks);
    for (long to = (long)places[block]; to < (long)places[block + 1]; ++to, ++from) {
      packed[to] = keys[from];
      positions[to] = (uint)from;
    }
  }
}
#else
// Rows [begin, begin + rows), each at its place. places[i] is whether one is kept, and behind those
// and a place for their sum comes a fault, which becomes 1 if a key is greater than last_key.
KERNEL void extract_rows(ELEMENT_PARAMS, long begin, long rows, long leaf_rows, long blocks,
                         ulong last_key, GLOBAL SORTED_KEY* keys, GROUP_VALUES group_values,
                         GLOBAL uint* places, long value_bytes) {
  (void)blocks;
  FOR_ROWS(i, rows) {
    group_key key;
    group_value value;
    const int found = group_row(ELEMENT_ARGS, begin + i, &key, &value);
    const int kept = found == 1 && !(IS_OUTSIDE(key, last_key));
    if (kept) {
      keys[i] = SORTED(key, begin + i, leaf_rows);
      STORE_VALUE(group_values, i, value, value_bytes);
    } else if (found != 0) {
      places[rows + 1] = 1;
    }
    places[i] = (uint)kept;
  }
}

// places[i] is the number of rows before row i that are kept. positions[to] is where the value of
// key `to` lies.
KERNEL void pack_keys(GLOBAL const SORTED_KEY* keys, long rows, long blocks,
                      GLOBAL const uint* places, GLOBAL SORTED_KEY* packed,
                      GLOBAL uint* positions) {
  (void)blocks;
  FOR_ROWS(i, rows) {
    if (places[i] == places[i + 1]) continue;
    packed[places[i]] = keys[i];
    positions[places[i]] = (uint)i;
  }
}
#endif

// The first group that begins at a row or behind it.
DEVICE long group_from(GLOBAL const uint* starts, long groups, long row) {
  long low = 0, high = groups;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if ((long)starts[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

DEVICE void fold_group(ELEMENT_PARAMS, long begin, long end, GLOBAL const uint* positions,
                       GROUP_VALUES group_values, GLOBAL const uchar* initial, GLOBAL uchar* place,
                       long state_bytes, long value_bytes) {
  LEAF_STATE(state);
  LOAD_STATE(state, initial, state_bytes);
  for (long i = begin; i < end; ++i)
    ADD_VALUE(ELEMENT_ARGS, state, VALUE_AT(group_values, (long)positions[i], value_bytes));
  STORE_STATE(state, place, state_bytes);
}

// Rows [starts[group], starts[group + 1]) of the sorted ones are a group's. Like a CPU, a work-item
// takes the groups that begin in its share of the rows: groups may be of very different sizes.
KERNEL void fold_groups(ELEMENT_PARAMS, GLOBAL const uint* starts, long groups,
                        GLOBAL const uint* positions, GROUP_VALUES group_values,
                        GLOBAL const uchar* initial, GLOBAL uchar* states, long state_bytes,
                        long value_bytes) {
#if LIKE_CPU
  const long rows = (long)starts[groups];
  const long begin = group_from(starts, groups, ROWS_BEGIN(rows));
  const long end = group_from(starts, groups, ROWS_END(rows)), step = 1;
#else
  const long begin = (long)ITEM, end = groups, step = (long)ITEMS;
#endif
  for (long group = begin; group < end; group += step)
    fold_group(ELEMENT_ARGS, (long)starts[group], (long)starts[group + 1], positions, group_values,
               initial, states + group * state_bytes, state_bytes, value_bytes);
}

// The same where groups have many rows and devices aren't like a CPU: a work-group fetches a
// group's values, and one of its items adds them.
KERNEL void fold_long_groups(ELEMENT_PARAMS, GLOBAL const uint* starts, long groups,
                             GLOBAL const uint* positions, GROUP_VALUES group_values,
                             GLOBAL const uchar* initial, GLOBAL uchar* states, long state_bytes,
                             long value_bytes) {
#if LIKE_CPU || !GROUP_TILE
  FOR_ROWS(group, groups)
    fold_group(ELEMENT_ARGS, (long)starts[group], (long)starts[group + 1], positions, group_values,
               initial, states + group * state_bytes, state_bytes, value_bytes);
#else
  LOCAL group_value value_of[GROUP_TILE];
  for (long group = (long)GROUP; group < groups; group += (long)(ITEMS / GROUP_ITEMS)) {
    const long end = (long)starts[group + 1];
    LEAF_STATE(state);
    LOAD_STATE(state, initial, state_bytes);
    for (long first = (long)starts[group]; first < end; first += GROUP_TILE) {
      const uint count = end - first < GROUP_TILE ? (uint)(end - first) : GROUP_TILE;
      for (uint at = (uint)GROUP_ITEM; at < count; at += (uint)GROUP_ITEMS)
        value_of[at] = VALUE_AT(group_values, (long)positions[first + at], value_bytes);
      BARRIER();
      if (GROUP_ITEM == 0)
        for (uint at = 0; at < count; ++at) ADD_VALUE(ELEMENT_ARGS, state, value_of[at]);
      BARRIER();
    }
    if (GROUP_ITEM == 0) STORE_STATE(state, states + group * state_bytes, state_bytes);
  }
#endif
}
