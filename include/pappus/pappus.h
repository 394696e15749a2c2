// Everything a program needs.
#pragma once

#include "pappus/error.h"
#include "pappus/files.h"
#include "pappus/function.h"
#include "pappus/query.h"
#include "pappus/records.h"
#include "pappus/reducers.h"
#include "pappus/session.h"
#include "pappus/value.h"
