/* SPDX-License-Identifier: Apache-2.0 */
#include "maintain.h"

#include "plan.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The checkpoint. */
typedef struct position {
    uint64_t fingerprint;
    int64_t now;  /* seconds since 1970 when the work began: every batch has the same cut-off */
    int64_t step; /* the steps before it are done */
    int64_t rows; /* deleted in all */
} position;

enum { POSITION_VERSION = 1, UNITS_PER_STEP = 1000 };

typedef enum outcome { DONE, STOPPED, FAILED } outcome;

typedef struct job {
    const bgrun_host *host;
    bgrun_task *task;
    const bgrun_checkpoint_ext *checkpoint; /* NULL: the host has none, nothing is resumed */
    plan plan;
    position position;
    sqlite3 *db;
    char message[600];
} job;

/* The database that expire may interrupt, and the moment it should stop waiting for a lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t interrupted = PTHREAD_COND_INITIALIZER;
static sqlite3 *running;

void maintain_interrupt(void) {
    pthread_mutex_lock(&lock);
    if (running) sqlite3_interrupt(running);
    pthread_cond_broadcast(&interrupted);
    pthread_mutex_unlock(&lock);
}

static void set_running(sqlite3 *db) {
    pthread_mutex_lock(&lock);
    running = db;
    pthread_mutex_unlock(&lock);
}

static outcome failed(job *j, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(j->message, sizeof j->message, format, values);
    va_end(values);
    return FAILED;
}

/* The outcome of an SQLite error: an interruption means expiration. */
static outcome sql_failed(job *j, const char *what) {
    if (j->host->is_expired(j->task)) return STOPPED;
    return failed(j, "%s: %s", what, sqlite3_errmsg(j->db));
}

/* sqlite3_interrupt does nothing between two statements; this catches an expiration there. */
static int stop_if_expired(void *context) {
    job *j = context;
    return j->host->is_expired(j->task);
}

static int wait_for_lock(void *context, int times) {
    job *j = context;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (times >= j->plan.busy_seconds * 20) return 0;
    if (times == 0) j->host->set_title(j->task, NULL, "waiting for another program's lock");
    pthread_mutex_lock(&lock);
    int expired = j->host->is_expired(j->task);
    if (!expired) pthread_cond_timedwait(&interrupted, &lock, &until);
    pthread_mutex_unlock(&lock);
    return !expired;
}

static outcome save(job *j) {
    if (!j->checkpoint) return DONE;
    int32_t result =
        j->checkpoint->put(j->task, POSITION_VERSION, &j->position, sizeof j->position);
    if (result == BGRUN_OK) return DONE;
    return failed(j, "the checkpoint could not be stored (%d)", result);
}

static void restore(job *j) {
    position found;
    uint64_t size = 0;
    uint32_t version = 0;
    j->position = (position){.fingerprint = j->plan.fingerprint, .now = time(NULL)};
    if (!j->checkpoint ||
        j->checkpoint->get(j->task, &found, sizeof found, &size, &version) != BGRUN_OK)
        return;
    if (version != POSITION_VERSION || size != sizeof found ||
        found.fingerprint != j->plan.fingerprint || found.step < 0 ||
        found.step > (int64_t)j->plan.count)
        return;
    j->position = found;
    char text[128];
    snprintf(text, sizeof text, "continuing at step %lld of %zu, %lld rows were deleted before",
             (long long)found.step + 1, j->plan.count, (long long)found.rows);
    j->host->log(j->host, j->task, BGRUN_LOG_INFO, text);
}

static void progress(job *j, int64_t part, int64_t whole) {
    int64_t within = whole > 0 ? (part < whole ? part : whole) * UNITS_PER_STEP / whole : 0;
    j->host->set_progress(j->task, j->position.step * UNITS_PER_STEP + within,
                          (int64_t)j->plan.count * UNITS_PER_STEP);
}

static bool should_stop(job *j) {
    return j->host->is_expired(j->task) || j->host->should_defer(j->task);
}

/* The value of a statement with one row and column; -1 on failure. */
static int64_t number(job *j, const char *sql) {
    sqlite3_stmt *statement = NULL;
    int64_t value = -1;
    if (sqlite3_prepare_v2(j->db, sql, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return value;
}

static outcome check_integrity(job *j, bool full) {
    sqlite3_stmt *statement = NULL;
    const char *sql = full ? "PRAGMA integrity_check" : "PRAGMA quick_check";
    j->host->set_title(j->task, "Checking integrity", full ? "full" : "quick");
    if (sqlite3_prepare_v2(j->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return sql_failed(j, sql);
    int problems = 0, result;
    while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *line = (const char *)sqlite3_column_text(statement, 0);
        if (!line || strcmp(line, "ok") == 0) continue;
        if (problems++ == 0) failed(j, "the database is damaged: %s", line);
        j->host->log(j->host, j->task, BGRUN_LOG_ERROR, line);
    }
    sqlite3_finalize(statement);
    if (j->host->is_expired(j->task)) return STOPPED;
    if (problems > 0) return FAILED;
    return result == SQLITE_DONE ? DONE : sql_failed(j, sql);
}

static void bind_cutoff(sqlite3_stmt *statement, const step *s, int64_t now) {
    int64_t cutoff = now - s->older_than;
    if (s->unit == ISO_TEXT) {
        struct tm utc;
        char text[32];
        gmtime_r(&cutoff, &utc);
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &utc);
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_TRANSIENT);
    } else {
        sqlite3_bind_int64(statement, 1, s->unit == UNIX_MILLISECONDS ? cutoff * 1000 : cutoff);
    }
}

static sqlite3_stmt *prepare_purge(job *j, const step *s, bool count) {
    char *sql = purge_sql(j->db, s, count, j->message, sizeof j->message);
    sqlite3_stmt *statement = NULL;
    if (sql && sqlite3_prepare_v2(j->db, sql, -1, &statement, NULL) != SQLITE_OK)
        failed(j, "purge of %s: %s", s->table, sqlite3_errmsg(j->db));
    sqlite3_free(sql);
    if (statement) bind_cutoff(statement, s, j->position.now);
    return statement;
}

static outcome delete_batches(job *j, const step *s, sqlite3_stmt *statement, int64_t matching) {
    for (int64_t deleted = 0;;) {
        if (should_stop(j)) return STOPPED;
        if (sqlite3_step(statement) != SQLITE_DONE) return sql_failed(j, s->table);
        sqlite3_reset(statement);
        int64_t changes = sqlite3_changes64(j->db);
        if (changes == 0) return DONE;
        deleted += changes;
        j->position.rows += changes;
        if (save(j) != DONE) return FAILED;
        char text[128];
        snprintf(text, sizeof text, "%lld rows deleted", (long long)j->position.rows);
        j->host->set_title(j->task, NULL, text);
        progress(j, deleted, matching);
    }
}

static outcome purge(job *j, const step *s) {
    char title[256];
    snprintf(title, sizeof title, "Purging %s", s->table);
    j->host->set_title(j->task, title, "counting");
    sqlite3_stmt *count = prepare_purge(j, s, true);
    if (!count) return j->host->is_expired(j->task) ? STOPPED : FAILED;
    bool counted = sqlite3_step(count) == SQLITE_ROW;
    int64_t matching = counted ? sqlite3_column_int64(count, 0) : 0;
    outcome result = counted ? DONE : sql_failed(j, s->table);
    sqlite3_finalize(count);
    if (result != DONE) return result;

    sqlite3_stmt *delete = prepare_purge(j, s, false);
    if (!delete) return j->host->is_expired(j->task) ? STOPPED : FAILED;
    sqlite3_bind_int64(delete, 2, j->plan.batch);
    result = delete_batches(j, s, delete, matching);
    sqlite3_finalize(delete);
    return result;
}

static outcome vacuum_incremental(job *j) {
    if (number(j, "PRAGMA auto_vacuum") != 2)
        return failed(j, "vacuum: incremental needs a database with auto_vacuum = INCREMENTAL; "
                         "set that pragma and VACUUM once, or use vacuum: full");
    j->host->set_title(j->task, "Giving free pages back", NULL);
    int64_t all = number(j, "PRAGMA freelist_count");
    char sql[64];
    snprintf(sql, sizeof sql, "PRAGMA incremental_vacuum(%lld)", (long long)j->plan.batch);
    for (int64_t left = all; left > 0;) {
        if (should_stop(j)) return STOPPED;
        if (sqlite3_exec(j->db, sql, NULL, NULL, NULL) != SQLITE_OK) return sql_failed(j, "vacuum");
        int64_t now = number(j, "PRAGMA freelist_count");
        if (now < 0) return sql_failed(j, "vacuum");
        if (now >= left) return failed(j, "vacuum: incremental frees nothing more");
        left = now;
        progress(j, all - left, all);
    }
    return DONE;
}

static outcome vacuum_full(job *j) {
    j->host->set_title(j->task, "Rebuilding the database", NULL);
    if (sqlite3_exec(j->db, "VACUUM", NULL, NULL, NULL) != SQLITE_OK)
        return sql_failed(j, "vacuum");
    return DONE;
}

static outcome perform(job *j, const step *s) {
    switch (s->kind) {
    case CHECK_QUICK: return check_integrity(j, false);
    case CHECK_FULL: return check_integrity(j, true);
    case PURGE: return purge(j, s);
    case VACUUM_FULL: return vacuum_full(j);
    case VACUUM_INCREMENTAL: return vacuum_incremental(j);
    }
    return failed(j, "no such step");
}

static outcome open_database(job *j) {
    int result = sqlite3_open_v2(j->plan.database, &j->db, SQLITE_OPEN_READWRITE, NULL);
    if (result != SQLITE_OK)
        return failed(j, "%s: %s", j->plan.database,
                      j->db ? sqlite3_errmsg(j->db) : sqlite3_errstr(result));
    set_running(j->db);
    sqlite3_busy_handler(j->db, wait_for_lock, j);
    sqlite3_progress_handler(j->db, 1000, stop_if_expired, j);
    sqlite3_db_config(j->db, SQLITE_DBCONFIG_ENABLE_FKEY, (int)j->plan.foreign_keys, NULL);
    sqlite3_db_config(j->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    /* Also checks that the file is a database, before the first step reports its start. */
    if (number(j, "SELECT count(*) FROM sqlite_schema") < 0) return sql_failed(j, j->plan.database);
    return DONE;
}

static outcome run_steps(job *j) {
    int64_t before = number(j, "PRAGMA page_count") * number(j, "PRAGMA page_size");
    restore(j);
    progress(j, 0, 1);
    while (j->position.step < (int64_t)j->plan.count) {
        if (should_stop(j)) return STOPPED;
        outcome result = perform(j, &j->plan.steps[j->position.step]);
        if (result != DONE) return result;
        j->position.step++;
        progress(j, 0, 1);
        if (save(j) != DONE) return FAILED;
    }
    /* In WAL mode the file shrinks only at a checkpoint; a busy reader may delay that. */
    sqlite3_wal_checkpoint_v2(j->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    int64_t after = number(j, "PRAGMA page_count") * number(j, "PRAGMA page_size");
    snprintf(j->message, sizeof j->message, "%lld rows deleted, %lld KiB given back",
             (long long)j->position.rows, (long long)(before > after ? before - after : 0) / 1024);
    return DONE;
}

void maintain(const bgrun_host *host, bgrun_task *task, const bgrun_launch *launch) {
    job j = {.host = host,
             .task = task,
             .checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT)};
    outcome result = FAILED;
    if (plan_read(&j.plan, launch, j.message, sizeof j.message)) {
        result = open_database(&j);
        if (result == DONE) result = run_steps(&j);
    }
    if (result == STOPPED) {
        snprintf(j.message, sizeof j.message, "stopped in step %lld of %zu after %lld rows; %s",
                 (long long)j.position.step + 1, j.plan.count, (long long)j.position.rows,
                 j.checkpoint ? "the next attempt continues there" : "the next attempt starts again");
        if (j.checkpoint)
            j.checkpoint->put(task, POSITION_VERSION, &j.position, sizeof j.position);
    }
    set_running(NULL);
    sqlite3_close(j.db);
    plan_free(&j.plan);
    host->complete(task, result == DONE, j.message);
}
