/* SPDX-License-Identifier: Apache-2.0 */
/* Read only for code that imports SQLite3: other code builds without the library. */
#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#else
#error "import SQLite3 needs SQLite's header: install libsqlite3-dev"
#endif
