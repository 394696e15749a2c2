#!/usr/bin/env python3
"""Whether a checker saw all kernels that tests ran: compares what PAPPUS_DUMP wrote of both.

    kernels_covered.py RAN CHECKED

RAN and CHECKED hold a folder of such files per test program. Kernels are the same that have a name
and a text in common. The operators' own, which hold nothing of a function, are named after their
text and left out: checked_kernels has samples of all. Exit status: 0 covered, 1 not, 77 there are
no files in RAN.
"""
import os
import sys


def kernels(folder):
    """(program, file's name without the label, text) of every kernel."""
    found = {}
    for program in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        for name in sorted(os.listdir(os.path.join(folder, program))):
            if name.startswith("device_ops_text_"):
                continue
            with open(os.path.join(folder, program, name), encoding="utf-8") as file:
                entry = name.rsplit("-", 1)[1]
                found[(program, entry, file.read())] = name
    return found


def main():
    ran, checked = kernels(sys.argv[1]), kernels(sys.argv[2])
    missing = sorted((key[0], name) for key, name in ran.items() if key not in checked)
    for program, name in missing:
        print(f"{program}: {name} ran, but not under the checker")
    print(f"{len(ran)} kernels ran, {len(checked)} under the checker, {len(missing)} not there")
    if not ran:
        print("SKIP: no kernels in " + sys.argv[1])
        return 77
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
