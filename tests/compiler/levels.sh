# shellcheck shell=bash
# What check.sh compiles files with, at -O0 and at -O3; precompile.sh their headers, too.

# options_at LEVEL: sets `options`.
options_at() {
  options=(-std=c++20 -w -gline-tables-only "$1" -ffp-contract=off -fno-math-errno)
  if [[ $1 == -O3 ]]; then options+=(-fno-trapping-math -march=native); fi
}
