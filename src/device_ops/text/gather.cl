// Moves records to where a sort wants them: to[i] = from[rows[i]].
//
// Like a CPU, a work-item copies whole records: as a struct, because compilers make gathers of
// single words out of a loop over them, which took more than three times as long for random rows of
// 80 bytes. Elsewhere neighbours copy neighbouring words, which then leave together.
//
// WORD is uchar, ushort, uint or ulong, the widest that divides a record's size. WORDS is the
// number of them in a record; where a text serves all numbers, the argument tells it.
#ifndef WORD
#define WORD ulong
#endif

#if LIKE_CPU && defined(WORDS)

typedef struct {
  WORD words[WORDS];
} record;

KERNEL void gather_records(GLOBAL const WORD* from, int words, GLOBAL const uint* rows, long n,
                           GLOBAL WORD* to) {
  GLOBAL const record* records = (GLOBAL const record*)from;
  GLOBAL record* copies = (GLOBAL record*)to;
  FOR_ROWS(i, n) { copies[i] = records[rows[i]]; }
}

#elif LIKE_CPU

KERNEL void gather_records(GLOBAL const WORD* from, int words, GLOBAL const uint* rows, long n,
                           GLOBAL WORD* to) {
  FOR_ROWS(i, n) {
    GLOBAL const WORD* record = from + (long)rows[i] * words;
    for (int w = 0; w < words; ++w) to[i * words + w] = record[w];
  }
}

#else

#ifndef WORDS
#define WORDS words
#endif

KERNEL void gather_records(GLOBAL const WORD* from, int words, GLOBAL const uint* rows, long n,
                           GLOBAL WORD* to) {
  FOR_ROWS(i, n * WORDS) {
    const long row = i / WORDS;
    to[i] = from[(long)rows[row] * WORDS + (i - row * WORDS)];
  }
}

#endif
