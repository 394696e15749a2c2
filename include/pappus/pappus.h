// Everything a program needs.
#pragma once

#include "pappus/apply.h"
#include "pappus/device_code.h"
#include "pappus/error.h"
#include "pappus/files.h"
#include "pappus/function.h"
#include "pappus/group.h"
#include "pappus/join.h"
#include "pappus/loop.h"
#include "pappus/place.h"
#include "pappus/query.h"
#include "pappus/records.h"
#include "pappus/reducers.h"
#include "pappus/scan.h"
#include "pappus/session.h"
#include "pappus/sort.h"
#include "pappus/value.h"
