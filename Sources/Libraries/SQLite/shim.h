/* SPDX-License-Identifier: Apache-2.0 */
#include <sqlite3.h>

/* sqlite3_db_config() is variadic, which Swift cannot call. A schema that another user has written must
 * not call functions or use virtual tables with side effects; only ordinary statements can change the
 * file. A word in double quotes is a name, and an error if it is unknown. */
static inline int bgrun_sqlite_defend(sqlite3 *db) {
    int code = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, 0, (int *)0);
    if (code == SQLITE_OK)
        code = sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, 0, (int *)0);
    return code;
}

/* Whether a connection has the settings of bgrun_sqlite_defend. */
static inline int bgrun_sqlite_is_defended(sqlite3 *db) {
    int defensive = 0, trusted = 1, ddl = 1, dml = 1;
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, -1, &defensive);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &trusted);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DDL, -1, &ddl);
    sqlite3_db_config(db, SQLITE_DBCONFIG_DQS_DML, -1, &dml);
    return defensive && !trusted && !ddl && !dml;
}

/* Keeps the last connection from copying the log into the file when it is closed. */
static inline void bgrun_sqlite_keep_log(sqlite3 *db) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
