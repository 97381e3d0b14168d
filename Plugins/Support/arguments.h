/* SPDX-License-Identifier: Apache-2.0
 * arguments.h - reads a handler's `parameters:` strictly: an unknown key or a wrong type is a
 * problem with the name of the key and a remedy. */
#ifndef BGRUN_SUPPORT_ARGUMENTS_H
#define BGRUN_SUPPORT_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Keeps the first problem; after it, every getter still returns its fallback. */
typedef struct arguments {
    json_t *object;
    char problem[512];
} arguments;

/* Parses `json`, which must be an object that has no keys but those of `known` (NULL at its
 * end), and `push` and `transfer`, which the host adds. Close it also when there is a problem. */
arguments arguments_open(const char *json, const char *const *known);
/* The same for a nested object, whose keys messages attribute to `name`. */
arguments arguments_inside(json_t *object, const char *name, const char *const *known);
void arguments_close(arguments *a);

/* Records a problem, unless one is recorded. */
void arguments_refuse(arguments *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

bool arguments_has(const arguments *a, const char *key);
/* The text, owned by the arguments, or `fallback` if the key is missing. */
const char *arguments_text(arguments *a, const char *key, const char *fallback);
/* As arguments_text, but the key is required and its text must not be empty. */
const char *arguments_required(arguments *a, const char *key);
bool arguments_flag(arguments *a, const char *key, bool fallback);
int64_t arguments_integer(arguments *a, const char *key, int64_t least, int64_t most,
                          int64_t fallback);
/* Seconds, from a text with a unit: "90d", "12h", "15m", "30s", "2w". */
int64_t arguments_seconds(arguments *a, const char *key, int64_t fallback);
/* Bytes, from a text with a unit: "512K", "64M", "2G" (1024, not 1000). */
int64_t arguments_bytes(arguments *a, const char *key, int64_t fallback);
/* The index in `words` (NULL-terminated); `false` in JSON is the word "false". */
int arguments_choice(arguments *a, const char *key, const char *const *words, int fallback);
/* An array, or NULL if the key is missing. */
json_t *arguments_list(arguments *a, const char *key);

/* `path` unchanged if absolute, else below `directory`; a leading "~/" is the home directory.
 * malloc'ed. */
char *resolve_path(const char *directory, const char *path);

#endif
