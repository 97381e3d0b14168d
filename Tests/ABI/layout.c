/*
 * layout.c - prints the layout of every struct of the plugin ABI as a table:
 * field, offset, size, type. Exits 1 when fields.def leaves a field out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bgrun_plugin.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(void *) == 8 && sizeof(long) == 8, "the golden layout is that of LP64");

/* The type of a field is part of the ABI, also where the size stays the same. */
#define STRUCT(S)
#define FIELD(S, F, ...)                                                                     \
    _Static_assert(_Generic(&((S *)0)->F, __typeof__(__VA_ARGS__) *: 1, default: 0), #S "." #F);
#define END(S)
#include "fields.def"
#undef STRUCT
#undef FIELD
#undef END

static size_t end_of_last;
static int holes;

static void field(const char *name, size_t offset, size_t size, size_t align, const char *type) {
    size_t next = (end_of_last + align - 1) / align * align;
    if (offset != next) {
        fprintf(stderr, "%s is at %zu, and the field listed before it ends at %zu\n", name, offset,
                end_of_last);
        holes++;
    }
    end_of_last = offset + size;
    printf("%-44s %3zu %3zu  %s\n", name, offset, size, type);
}

static void whole(const char *name, size_t size) {
    if ((end_of_last + 7) / 8 * 8 != size && end_of_last != size) {
        fprintf(stderr, "%s has %zu bytes, and its last listed field ends at %zu\n", name, size,
                end_of_last);
        holes++;
    }
    printf("%-44s   - %3zu  struct\n", name, size);
}

int main(void) {
#define STRUCT(S) end_of_last = 0;
#define FIELD(S, F, ...)                                                                     \
    field(#S "." #F, offsetof(S, F), sizeof(((S *)0)->F), _Alignof(__typeof__(__VA_ARGS__)),         \
          #__VA_ARGS__);
#define END(S) whole(#S, sizeof(S));
#include "fields.def"
    return holes == 0 ? 0 : 1;
}
