// Puts a part of records where it belongs: to[i].part = from[i].
//
// WORD is uint or uchar. A part is `words` of a record's `record_words`, from the word `offset` on;
// the parts of all records lie one after another, from the word `at` of `from` on.
#ifndef WORD
#define WORD uint
#endif

KERNEL void place_parts(GLOBAL const WORD* from, long at, long n, int words, GLOBAL WORD* to,
                        int record_words, int offset) {
  FOR_ROWS(i, n) {
    for (int w = 0; w < words; ++w)
      to[i * record_words + offset + w] = from[at + i * words + w];
  }
}
