// SPDX-License-Identifier: Apache-2.0
#include "COffstageFleet.h"

// The compiler takes the files in (C23, 6.10.3), as those of the page. Steps are appended, and never changed once they have
// been released.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char roles[] = {
#embed "migrations/0001-roles.sql"
};
static const unsigned char tables[] = {
#embed "migrations/0002-tables.sql"
};
static const unsigned char submit[] = {
#embed "migrations/0003-submit.sql"
};
static const unsigned char lease[] = {
#embed "migrations/0004-lease.sql"
};
static const unsigned char people[] = {
#embed "migrations/0005-people.sql"
};
static const unsigned char rights[] = {
#embed "migrations/0006-rights.sql"
};
static const unsigned char keeping[] = {
#embed "migrations/0007-keeping.sql"
};
static const unsigned char outcomes[] = {
#embed "migrations/0008-outcomes.sql"
};

#define MIGRATION(version, name) {version, name, sizeof name}
static const offstage_fleet_migration migrations[] = {
    MIGRATION(1, roles), MIGRATION(2, tables), MIGRATION(3, submit),
    MIGRATION(4, lease), MIGRATION(5, people), MIGRATION(6, rights),
    MIGRATION(7, keeping), MIGRATION(8, outcomes),
};

size_t offstage_fleet_migration_count(void) { return sizeof migrations / sizeof *migrations; }

const offstage_fleet_migration *offstage_fleet_migration_at(size_t index) {
    return index < offstage_fleet_migration_count() ? &migrations[index] : NULL;
}
