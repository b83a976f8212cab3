// SPDX-License-Identifier: Apache-2.0
#pragma once
// The input is only read.
#define ZLIB_CONST
#include <zlib.h>
