/* SPDX-License-Identifier: Apache-2.0
 * command.h - the command of exec.run: its parameters and its start. */
#ifndef EXEC_COMMAND_H
#define EXEC_COMMAND_H

#include "bgrun_plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct command {
    char **argv;        /* NULL at its end */
    char **environment; /* NULL at its end */
    char *directory;
    char *standard_input;
    char *input; /* instead of the file; NULL for none */
    int *success_codes;
    size_t success_count;
    int expire_signal;
    int listening; /* the socket of `on: {socket: ...}`; -1 for none */
    int *secrets;  /* the descriptors of its secrets, in ascending order; it has them as 3 and up, or 4 */
    size_t secret_count;
} command;

/* Reads the parameters; false and a reason in `problem` if they are invalid. Free it in
 * both cases. */
bool command_read(command *c, const bgrun_task *task, const bgrun_launch *launch, char *problem,
                  size_t size);
void command_free(command *c);

/* Starts it in a new process group, with default signals, and with descriptors 0 to 2, its socket and its
 * secrets only.
 * Returns its pid; on failure 0, the errno in `error` and a reason in `problem`. */
pid_t command_start(const command *c, int *error, char *problem, size_t size);

#endif
