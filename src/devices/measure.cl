// What `pappus devices --measure` runs: a stream through memory, one read and one write a row.
KERNEL void measure_stream(GLOBAL const uint* from, GLOBAL uint* to, long rows) {
  FOR_ROWS(row, rows) to[row] = from[row] + 1u;
}
