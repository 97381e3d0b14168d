/* SPDX-License-Identifier: Apache-2.0
 * plan.h - the parameters of sqlite-maintenance.maintain, as a list of steps. */
#ifndef SQLITE_MAINTENANCE_PLAN_H
#define SQLITE_MAINTENANCE_PLAN_H

#include "bgrun_plugin.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum step_kind {
    CHECK_QUICK,
    CHECK_FULL,
    PURGE,
    VACUUM_FULL,
    VACUUM_INCREMENTAL,
} step_kind;
typedef enum time_unit { UNIX_SECONDS, UNIX_MILLISECONDS, ISO_TEXT } time_unit;

typedef struct step {
    step_kind kind;
    /* PURGE: the rows of `table` that satisfy `condition` (SQL, may be NULL), and whose
     * `column` is older than `older_than` seconds (if column is not NULL). */
    char *table, *condition, *column;
    int64_t older_than;
    time_unit unit;
} step;

typedef struct plan {
    char *database;
    step *steps;
    size_t count;
    int64_t batch, busy_seconds;
    bool foreign_keys;
    uint64_t fingerprint; /* of the parameters: a checkpoint of others is not used */
} plan;

/* Reads the parameters; false and a reason if they are invalid. Free it in both cases. */
bool plan_read(plan *p, const bgrun_launch *launch, char *problem, size_t size);
void plan_free(plan *p);

/* The SQL that deletes (or counts) rows of a PURGE step; ?1 is the cut-off, ?2 the rows of a
 * batch. sqlite3_free it; NULL and a reason if the table cannot be purged. */
char *purge_sql(sqlite3 *db, const step *s, bool count, char *problem, size_t size);

#endif
