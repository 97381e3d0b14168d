/* SPDX-License-Identifier: Apache-2.0 */
#include "command.h"

#include "arguments.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void read_argv(command *c, arguments *a) {
    const char *line = arguments_text(a, "command", NULL);
    json_t *list = arguments_list(a, "argv");
    if ((line != NULL) == (list != NULL)) {
        arguments_refuse(a, "give either command: \"a shell line\" or argv: [program, ...]");
        return;
    }
    if (line) {
        c->argv = calloc(4, sizeof *c->argv);
        c->argv[0] = strdup("/bin/sh");
        c->argv[1] = strdup("-c");
        c->argv[2] = strdup(line);
        return;
    }
    size_t count = json_array_size(list);
    if (count == 0) arguments_refuse(a, "argv: must name a program");
    c->argv = calloc(count + 1, sizeof *c->argv);
    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word) arguments_refuse(a, "argv: word %zu must be a text; put it in quotes", i + 1);
        c->argv[i] = strdup(word ? word : "");
    }
}

static void set_variable(char **environment, const char *name, const char *value) {
    size_t length = strlen(name), i = 0;
    while (environment[i] &&
           (strncmp(environment[i], name, length) != 0 || environment[i][length] != '='))
        i++;
    char *entry = NULL;
    if (value && asprintf(&entry, "%s=%s", name, value) < 0) return;
    if (entry) {
        free(environment[i]);
        environment[i] = entry;
    } else if (environment[i]) { /* null removes the variable */
        free(environment[i]);
        for (; environment[i]; i++) environment[i] = environment[i + 1];
    }
}

/* The descriptor that the line of an environment names, if it is of a secret; otherwise -1. The line may be an older
 * one that bgrun itself was started with: only the file of a secret is sealed. */
static int secret_of(const char *line) {
    static const char before[] = "BGRUN_SECRET_", path[] = "=/proc/self/fd/";
    const char *value = strncmp(line, before, strlen(before)) == 0 ? strchr(line, '=') : NULL;
    if (!value || strncmp(value, path, strlen(path)) != 0) return -1;
    int descriptor = atoi(value + strlen(path));
    int seals = descriptor > 2 ? fcntl(descriptor, F_GET_SEALS) : -1;
    return seals >= 0 && (seals & F_SEAL_WRITE) ? descriptor : -1;
}

static int compare(const void *left, const void *right) {
    return *(const int *)left - *(const int *)right;
}

static size_t first_secret(const command *c) { return c->listening < 0 ? 3 : 4; }

/* Gives the command's variables of secrets the numbers that it has them as. */
static void read_secrets(command *c) {
    size_t count = 0;
    while (c->environment[count]) count++;
    c->secrets = calloc(count + 1, sizeof *c->secrets);
    for (size_t i = 0; i < count; i++) {
        int descriptor = secret_of(c->environment[i]);
        if (descriptor >= 0) c->secrets[c->secret_count++] = descriptor;
    }
    qsort(c->secrets, c->secret_count, sizeof *c->secrets, compare);
    for (size_t i = 0; i < count; i++) {
        int descriptor = secret_of(c->environment[i]);
        if (descriptor < 0) continue;
        size_t number = first_secret(c);
        while (c->secrets[number - first_secret(c)] != descriptor) number++;
        char *entry = NULL;
        int length = (int)strcspn(c->environment[i], "=");
        if (asprintf(&entry, "%.*s=/proc/self/fd/%zu", length, c->environment[i], number) < 0)
            continue;
        free(c->environment[i]);
        c->environment[i] = entry;
    }
}

static void read_environment(command *c, arguments *a, const bgrun_task *task,
                             const bgrun_launch *launch) {
    json_t *object = json_object_get(a->object, "environment");
    if (object && !json_is_object(object))
        arguments_refuse(a, "environment: must be a mapping of names to texts");
    size_t count = json_object_size(object) + 14;
    for (char **one = environ; *one; one++) count++;
    c->environment = calloc(count, sizeof *c->environment);
    size_t used = 0;
    for (char **one = environ; *one; one++) c->environment[used++] = strdup(*one);

    /* The handle's value is the number of the attempt: Docs/decisions/0007-task-handles.md. */
    char number[24], try[16];
    snprintf(number, sizeof number, "%lld", (long long)(intptr_t)task);
    snprintf(try, sizeof try, "%u", launch->attempt);
    set_variable(c->environment, "BGRUN_IDENTIFIER", launch->identifier);
    set_variable(c->environment, "BGRUN_ATTEMPT", number);
    set_variable(c->environment, "BGRUN_TRY", try);
    json_t *transfer = json_object_get(a->object, "transfer");
    char *report = transfer ? json_dumps(transfer, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    set_variable(c->environment, "BGRUN_TRANSFER", report);
    free(report);
    set_variable(c->environment, "BGRUN_TRANSFER_FILE",
                 json_string_value(json_object_get(transfer, "file")));
    set_variable(c->environment, "BGRUN_TRANSFER_ERROR",
                 json_string_value(json_object_get(transfer, "error")));
    json_t *push = launch->kind == BGRUN_KIND_PUSH ? json_object_get(a->object, "push") : NULL;
    char *payload = push ? json_dumps(push, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    set_variable(c->environment, "BGRUN_PUSH", payload);
    free(payload);
    const char *listening = getenv("BGRUN_LISTEN_FD");
    if (listening) { /* sd_listen_fds(3); the process that the command becomes adds LISTEN_PID */
        c->listening = atoi(listening);
        set_variable(c->environment, "BGRUN_LISTEN_FD", NULL);
        set_variable(c->environment, "LISTEN_FDS", "1");
        set_variable(c->environment, "LISTEN_FDNAMES", launch->identifier);
    }
    read_secrets(c);
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        if (!*name || strchr(name, '='))
            arguments_refuse(a, "environment: \"%s\" is not the name of a variable", name);
        else if (json_is_string(value) || json_is_null(value))
            set_variable(c->environment, name, json_string_value(value));
        else
            arguments_refuse(a, "environment: %s must be a text; put it in quotes", name);
    }
}

static void read_success_codes(command *c, arguments *a) {
    json_t *list = arguments_list(a, "success_codes");
    c->success_count = list ? json_array_size(list) : 1;
    c->success_codes = calloc(c->success_count + 1, sizeof *c->success_codes);
    if (list && c->success_count == 0)
        arguments_refuse(a, "success_codes: must name at least one exit status");
    for (size_t i = 0; list && i < c->success_count; i++) {
        json_t *code = json_array_get(list, i);
        json_int_t value = json_integer_value(code);
        if (!json_is_integer(code) || value < 0 || value > 255)
            arguments_refuse(a, "success_codes: must be whole numbers from 0 to 255");
        c->success_codes[i] = (int)value;
    }
}

bool command_read(command *c, const bgrun_task *task, const bgrun_launch *launch, char *problem,
                  size_t size) {
    static const char *const known[] = {"command",       "argv",  "directory",     "environment",
                                        "success_codes", "stdin", "input", "expire_signal", NULL};
    static const char *const signals[] = {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", NULL};
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

    memset(c, 0, sizeof *c);
    c->listening = -1;
    arguments a = arguments_open(launch->parameters_json, known);
    if (!a.problem[0]) {
        read_argv(c, &a);
        read_environment(c, &a, task, launch);
        read_success_codes(c, &a);
        c->directory =
            resolve_path(launch->manifest_directory, arguments_text(&a, "directory", "."));
        c->standard_input =
            resolve_path(launch->manifest_directory, arguments_text(&a, "stdin", "/dev/null"));
        const char *input = arguments_text(&a, "input", NULL);
        c->input = input ? strdup(input) : NULL;
        if (input && arguments_text(&a, "stdin", NULL))
            arguments_refuse(&a, "give either stdin: a file or input: \"a text\"");
        c->expire_signal = numbers[arguments_choice(&a, "expire_signal", signals, 0)];
    }
    snprintf(problem, size, "%s", a.problem);
    bool good = !a.problem[0];
    arguments_close(&a);
    return good;
}

static void free_list(char **list) {
    for (char **one = list; one && *one; one++) free(*one);
    free(list);
}

void command_free(command *c) {
    free_list(c->argv);
    free_list(c->environment);
    free(c->directory);
    free(c->standard_input);
    free(c->input);
    free(c->success_codes);
    free(c->secrets);
}

/* A descriptor that reads the text; -1, the error and a reason if it has not enough space. */
static int text_to_read(const char *text, int *error, char *problem, size_t size) {
    int file = memfd_create("bgrun-input", MFD_CLOEXEC);
    size_t left = strlen(text);
    while (file >= 0 && left > 0) {
        ssize_t count = write(file, text, left);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        text += count;
        left -= (size_t)count;
    }
    if (file >= 0 && left == 0 && lseek(file, 0, SEEK_SET) == 0) return file;
    *error = errno;
    snprintf(problem, size, "input: %s", strerror(*error));
    if (file >= 0) close(file);
    return -1;
}

/* A descriptor that reads the file; -1, the error and a reason on failure. */
static int file_to_read(const char *path, int *error, char *problem, size_t size) {
    /* Opening a pipe without a writer must not block; reading may, in the command. */
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        *error = errno;
        snprintf(problem, size, "stdin %s: %s", path, strerror(*error));
    } else {
        fcntl(file, F_SETFL, O_RDONLY);
    }
    return file;
}

/* The words to run. With a socket, a shell executes the command: only the process itself knows the
 * number that LISTEN_PID must have. */
static char **words_of(const command *c) {
    static char *const before[] = {"/bin/sh", "-c", "export LISTEN_PID=$$; exec \"$@\"", "sh"};
    size_t first = c->listening < 0 ? 0 : sizeof before / sizeof *before, count = 0;
    while (c->argv[count]) count++;
    char **words = calloc(first + count + 1, sizeof *words);
    memcpy(words, before, first * sizeof *words);
    memcpy(words + first, c->argv, count * sizeof *words);
    return words;
}

pid_t command_start(const command *c, int *error, char *problem, size_t size) {
    struct stat directory;
    if (stat(c->directory, &directory) != 0 ||
        (!S_ISDIR(directory.st_mode) && (errno = ENOTDIR) != 0)) {
        *error = errno;
        snprintf(problem, size, "directory %s: %s", c->directory, strerror(*error));
        return 0;
    }
    int input = c->input ? text_to_read(c->input, error, problem, size)
                         : file_to_read(c->standard_input, error, problem, size);
    if (input < 0) return 0;

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, 0);
    if (c->listening >= 0) posix_spawn_file_actions_adddup2(&files, c->listening, 3);
    /* Opened again, each command reads them from their start. The worker has its own channels as 3 and 4, and
     * the secrets in ascending order: each is above the numbers before it, and none is replaced before it is opened. */
    int first = (int)first_secret(c);
    for (size_t i = 0; i < c->secret_count; i++) {
        char path[40];
        snprintf(path, sizeof path, "/proc/self/fd/%d", c->secrets[i]);
        posix_spawn_file_actions_addopen(&files, first + (int)i, path, O_RDONLY, 0);
    }
    posix_spawn_file_actions_addclosefrom_np(&files, first + (int)c->secret_count);
    posix_spawn_file_actions_addchdir_np(&files, c->directory);

    /* A worker blocks and ignores some signals; the command must not inherit that. */
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);

    pid_t pid = 0;
    char **words = words_of(c);
    *error = posix_spawnp(&pid, words[0], &files, &attributes, words, c->environment);
    free(words);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    close(input);
    if (*error == 0) return pid;
    snprintf(problem, size, "cannot run %s: %s", c->argv[0], strerror(*error));
    return 0;
}
