// The bits of one part of the rows' keys, in the order of `order`.
//
// Before this text: sort_key, the type of the bits, and for devices that compile SORT_KEY_OF, the
// generated function that makes them.

#if !LIKE_HOST
DEVICE sort_key sort_key_of_row(ELEMENT_PARAMS, long row) {
  element_out record;
  element(ELEMENT_ARGS, row, &record);
  return SORT_KEY_OF(ELEMENT_ARGS, record);
}
#define SORT_KEY_OF_ROW(args, row, part) sort_key_of_row(args, row)
#endif

KERNEL void sort_keys(ELEMENT_PARAMS, long rows, int part, GLOBAL const uint* order,
                      GLOBAL sort_key* keys) {
  FOR_ROWS(row, rows) { keys[row] = (sort_key)SORT_KEY_OF_ROW(ELEMENT_ARGS, (long)order[row], part); }
}

// The same, first to last.
KERNEL void sort_keys_in_order(ELEMENT_PARAMS, long rows, int part, GLOBAL sort_key* keys) {
  FOR_ROWS(row, rows) { keys[row] = (sort_key)SORT_KEY_OF_ROW(ELEMENT_ARGS, row, part); }
}

// Records that aren't in memory yet.
KERNEL void sort_records(ELEMENT_PARAMS, long rows, OUT_ROWS out) {
  FOR_ROWS(row, rows) {
    element_out record;
    element(ELEMENT_ARGS, row, &record);
    STORE(out, row, record);
  }
}
