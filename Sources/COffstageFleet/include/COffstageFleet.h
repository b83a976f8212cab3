// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stddef.h>

/// One step of the schema of a fleet's database, as it stands in the folder `migrations`.
typedef struct {
    /// Counts up from 1 without a gap.
    int version;
    /// It lasts as long as the process.
    const unsigned char *sql;
    size_t count;
} offstage_fleet_migration;

/// How many there are.
size_t offstage_fleet_migration_count(void);
/// One of them, in order; NULL beyond the last.
const offstage_fleet_migration *offstage_fleet_migration_at(size_t index);
