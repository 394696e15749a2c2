// Names of views are nobody else's: with POSIX's headers, too, they need no namespace.
//
// flags: -Wall -Wextra
#include <strings.h>
#include <unistd.h>

#include <cstring>

#include "pappus/pappus.h"
#include "pappus/view.h"

using namespace pappus;
using namespace std;

void smooth(idx<1> i, reads<float> in, writes<float> out, updates<int, 2> seen) {
  out[i] = in[i] + in[i + 1];
  seen(i, 0) += 1;
}

long posix(int file, char* to) {
  return read(file, to, 1) + write(file, to, 1) + (index(to, 'a') != nullptr ? 1 : 0);
}
