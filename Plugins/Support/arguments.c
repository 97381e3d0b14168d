/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void arguments_refuse(arguments *a, const char *format, ...) {
    if (a->problem[0]) return;
    va_list values;
    va_start(values, format);
    vsnprintf(a->problem, sizeof a->problem, format, values);
    va_end(values);
}

static void check_keys(arguments *a, const char *name, const char *const *known) {
    const char *key;
    json_t *value;
    json_object_foreach(a->object, key, value) {
        char all[256] = "";
        bool found = (strcmp(key, "push") == 0 || strcmp(key, "transfer") == 0) &&
                     json_is_object(value);
        for (const char *const *one = known; *one && !found; one++) {
            found = strcmp(*one, key) == 0;
            snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "", *one);
        }
        if (!found) arguments_refuse(a, "%s: unknown key \"%s\"; known: %s", name, key, all);
    }
}

arguments arguments_inside(json_t *object, const char *name, const char *const *known) {
    arguments a = {.object = json_incref(object)};
    if (!json_is_object(object))
        arguments_refuse(&a, "%s: must be a mapping of keys to values", name);
    else
        check_keys(&a, name, known);
    return a;
}

arguments arguments_open(const char *json, const char *const *known) {
    json_error_t error;
    json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    if (!object) {
        arguments a = {0};
        arguments_refuse(&a, "parameters: not JSON: %s", error.text);
        return a;
    }
    arguments a = arguments_inside(object, "parameters", known);
    json_decref(object);
    return a;
}

void arguments_close(arguments *a) {
    json_decref(a->object);
    a->object = NULL;
}

static json_t *value_of(const arguments *a, const char *key) {
    json_t *value = json_object_get(a->object, key);
    return json_is_null(value) ? NULL : value;
}

bool arguments_has(const arguments *a, const char *key) { return value_of(a, key) != NULL; }

const char *arguments_text(arguments *a, const char *key, const char *fallback) {
    json_t *value = value_of(a, key);
    if (!value) return fallback;
    if (json_is_string(value)) return json_string_value(value);
    arguments_refuse(a, "%s: must be a text; put it in quotes", key);
    return fallback;
}

const char *arguments_required(arguments *a, const char *key) {
    const char *text = arguments_text(a, key, NULL);
    if (!text || !*text) {
        arguments_refuse(a, "%s: is missing", key);
        return "";
    }
    return text;
}

bool arguments_flag(arguments *a, const char *key, bool fallback) {
    json_t *value = value_of(a, key);
    if (!value) return fallback;
    if (!json_is_boolean(value)) arguments_refuse(a, "%s: must be true or false", key);
    return json_is_true(value);
}

int64_t arguments_integer(arguments *a, const char *key, int64_t least, int64_t most,
                          int64_t fallback) {
    json_t *value = value_of(a, key);
    if (!value) return fallback;
    if (!json_is_integer(value) || json_integer_value(value) < least ||
        json_integer_value(value) > most) {
        arguments_refuse(a, "%s: must be a whole number from %lld to %lld", key, (long long)least,
                         (long long)most);
        return fallback;
    }
    return json_integer_value(value);
}

typedef struct unit {
    const char *name;
    int64_t factor;
} unit;

/* An integer with one of `units` (NULL-terminated), for example "90d". */
static int64_t measure(arguments *a, const char *key, const unit *units, const char *advice,
                       int64_t fallback) {
    json_t *value = value_of(a, key);
    if (!value) return fallback;
    const char *text = json_string_value(value);
    if (text && *text >= '0' && *text <= '9') {
        char *name;
        errno = 0;
        long long number = strtoll(text, &name, 10);
        for (; errno == 0 && number <= 100000000 && units->name; units++)
            if (strcmp(name, units->name) == 0) return number * units->factor;
    }
    arguments_refuse(a, "%s: must be %s", key, advice);
    return fallback;
}

int64_t arguments_seconds(arguments *a, const char *key, int64_t fallback) {
    static const unit units[] = {{"s", 1},     {"m", 60},     {"h", 3600},
                                 {"d", 86400}, {"w", 604800}, {NULL, 0}};
    return measure(a, key, units, "a duration with its unit, for example \"30s\" or \"90d\"",
                   fallback);
}

int64_t arguments_bytes(arguments *a, const char *key, int64_t fallback) {
    static const unit units[] = {{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};
    return measure(a, key, units, "a size with its unit, for example \"64M\"", fallback);
}

int arguments_choice(arguments *a, const char *key, const char *const *words, int fallback) {
    json_t *value = value_of(a, key);
    if (!value) return fallback;
    const char *text = json_is_false(value) ? "false" : json_string_value(value);
    char all[256] = "";
    for (int i = 0; words[i]; i++) {
        if (text && strcmp(words[i], text) == 0) return i;
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", words[i]);
    }
    arguments_refuse(a, "%s: must be one of %s", key, all);
    return fallback;
}

json_t *arguments_list(arguments *a, const char *key) {
    json_t *value = value_of(a, key);
    if (value && !json_is_array(value)) {
        arguments_refuse(a, "%s: must be a list", key);
        return NULL;
    }
    return value;
}

char *resolve_path(const char *directory, const char *path) {
    const char *home = getenv("HOME");
    char *result = NULL;
    int length;
    if (*path == '/')
        length = asprintf(&result, "%s", path);
    else if (strncmp(path, "~/", 2) == 0 && home)
        length = asprintf(&result, "%s/%s", home, path + 2);
    else
        length = asprintf(&result, "%s/%s", directory, path);
    return length < 0 ? NULL : result;
}
