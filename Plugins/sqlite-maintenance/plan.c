/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include "arguments.h"
#include "hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

static void read_purge(step *s, arguments *outer, json_t *object) {
    static const char *const known[] = {"table", "where", "column", "older_than", "unit", NULL};
    static const char *const units[] = {"seconds", "milliseconds", "text", NULL};
    arguments a = arguments_inside(object, "purge", known);
    s->kind = PURGE;
    s->table = copy(arguments_required(&a, "table"));
    s->condition = copy(arguments_text(&a, "where", NULL));
    s->column = copy(arguments_text(&a, "column", NULL));
    s->older_than = arguments_seconds(&a, "older_than", -1);
    s->unit = (time_unit)arguments_choice(&a, "unit", units, UNIX_SECONDS);
    if ((s->column != NULL) != arguments_has(&a, "older_than"))
        arguments_refuse(&a, "purge: column and older_than go together");
    if (!s->column && !s->condition)
        arguments_refuse(&a, "purge: name the rows of %s, with where or with column and "
                             "older_than", s->table);
    if (a.problem[0]) arguments_refuse(outer, "%s", a.problem);
    arguments_close(&a);
}

bool plan_read(plan *p, const bgrun_launch *launch, char *problem, size_t size) {
    static const char *const known[] = {"database", "integrity_check", "purge",        "vacuum",
                                        "batch",    "busy_timeout",    "foreign_keys", NULL};
    static const char *const checks[] = {"quick", "full", "false", NULL};
    static const char *const vacuums[] = {"full", "incremental", "false", NULL};

    memset(p, 0, sizeof *p);
    arguments a = arguments_open(launch->parameters_json, known);
    if (!a.problem[0]) {
        p->database = resolve_path(launch->manifest_directory, arguments_required(&a, "database"));
        p->batch = arguments_integer(&a, "batch", 1, 1000000, 1000);
        p->busy_seconds = arguments_seconds(&a, "busy_timeout", 10);
        p->foreign_keys = arguments_flag(&a, "foreign_keys", true);
        p->fingerprint = hash_text(launch->parameters_json);

        int check = arguments_choice(&a, "integrity_check", checks, 0);
        json_t *purges = arguments_list(&a, "purge");
        int vacuum = arguments_choice(&a, "vacuum", vacuums, 2);
        p->steps = calloc(json_array_size(purges) + 2, sizeof *p->steps);
        if (check != 2) p->steps[p->count++].kind = check == 0 ? CHECK_QUICK : CHECK_FULL;
        for (size_t i = 0; i < json_array_size(purges); i++)
            read_purge(&p->steps[p->count++], &a, json_array_get(purges, i));
        if (vacuum != 2) p->steps[p->count++].kind = vacuum == 0 ? VACUUM_FULL : VACUUM_INCREMENTAL;
    }
    snprintf(problem, size, "%s", a.problem);
    bool good = !a.problem[0];
    arguments_close(&a);
    return good;
}

void plan_free(plan *p) {
    for (size_t i = 0; i < p->count; i++) {
        free(p->steps[i].table);
        free(p->steps[i].condition);
        free(p->steps[i].column);
    }
    free(p->steps);
    free(p->database);
}

/* The columns that identify a row: a name of the rowid that no column hides, or the primary key
 * of a table WITHOUT ROWID. sqlite3_free it; NULL if the table does not exist. */
static char *row_key(sqlite3 *db, const char *table) {
    static const char sql[] =
        "SELECT CASE WHEN t.wr THEN"
        "  (SELECT group_concat('\"' || replace(name, '\"', '\"\"') || '\"', ', ')"
        "   FROM pragma_table_info(?1) WHERE pk > 0)"
        " ELSE (SELECT alias FROM"
        "   (SELECT 'rowid' AS alias UNION ALL SELECT '_rowid_' UNION ALL SELECT 'oid')"
        "   WHERE alias NOT IN (SELECT lower(name) FROM pragma_table_info(?1)) LIMIT 1) END"
        " FROM pragma_table_list(?1) t WHERE t.schema = 'main' AND t.type IN ('table', 'virtual')";
    sqlite3_stmt *statement = NULL;
    char *key = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_text(statement, 0))
            key = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return key;
}

/* The age of a value with another type than the manifest states is unknown, not old: SQLite sorts
 * every number before every text, and seconds read as milliseconds are all in 1970. */
static char *age_condition(const step *s) {
    switch (s->unit) {
    case UNIX_SECONDS:
        return sqlite3_mprintf("typeof(\"%w\") IN ('integer', 'real') AND \"%w\" < ?1",
                               s->column, s->column);
    case UNIX_MILLISECONDS: /* 1e11 is in March 1973 */
        return sqlite3_mprintf("typeof(\"%w\") IN ('integer', 'real') AND \"%w\" < ?1 "
                               "AND \"%w\" >= 100000000000",
                               s->column, s->column, s->column);
    case ISO_TEXT:
        return sqlite3_mprintf("typeof(\"%w\") = 'text' AND \"%w\" < ?1", s->column, s->column);
    }
    return NULL;
}

char *purge_sql(sqlite3 *db, const step *s, bool count, char *problem, size_t size) {
    char *key = row_key(db, s->table);
    if (!key) {
        int code = sqlite3_errcode(db);
        bool absent = code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE;
        snprintf(problem, size, "purge: the database has no table \"%s\"%s%s", s->table,
                 absent ? "" : ": ", absent ? "" : sqlite3_errmsg(db));
        return NULL;
    }
    char *age = s->column ? age_condition(s) : sqlite3_mprintf("?1 = ?1");
    char *rows = sqlite3_mprintf("FROM \"%w\" WHERE %s AND (%s\n)", s->table, age,
                                 s->condition ? s->condition : "1");
    char *sql = count ? sqlite3_mprintf("SELECT count(*) %s", rows)
                      : sqlite3_mprintf("DELETE FROM \"%w\" WHERE (%s) IN (SELECT %s %s LIMIT ?2)",
                                        s->table, key, key, rows);
    sqlite3_free(key);
    sqlite3_free(age);
    sqlite3_free(rows);
    return sql;
}
