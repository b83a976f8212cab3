// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <libpq-fe.h>

// Codes of fields of an error (postgres_ext.h), which are characters there.
static const int offstage_pq_sqlstate = PG_DIAG_SQLSTATE;
static const int offstage_pq_primary = PG_DIAG_MESSAGE_PRIMARY;

// Notices go nowhere: libpq would print them.
static inline void offstage_pq_ignore_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}
static inline void offstage_pq_silence(PGconn *connection) {
    PQsetNoticeReceiver(connection, offstage_pq_ignore_notice, NULL);
}
