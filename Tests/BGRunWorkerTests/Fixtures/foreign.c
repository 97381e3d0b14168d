/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fixture_variable = 1;

/* Every integer width: as a parameter, a result, a callback's result, and behind a pointer. */
#define WIDTH(name, type)                                                                          \
    type echo_##name(type value) { return value; }                                                 \
    int64_t widen_##name(type value) { return (int64_t)value; }                                    \
    int64_t ask_##name(type (*callback)(type), type value) { return (int64_t)callback(value); }    \
    int32_t increment_##name(type *value) { return *value += 1, 0; }
WIDTH(i8, int8_t)
WIDTH(u8, uint8_t)
WIDTH(i16, int16_t)
WIDTH(u16, uint16_t)
WIDTH(i32, int32_t)
WIDTH(u32, uint32_t)
WIDTH(i64, int64_t)
WIDTH(u64, uint64_t)
WIDTH(f32, float)
WIDTH(f64, double)

/* More arguments than there are registers, of mixed classes. */
double sum_many(int8_t a, double b, uint16_t c, float d, int32_t e, double f, uint64_t g, float h,
                int64_t i, double j, int16_t k, double l, uint32_t m, double n, int8_t o,
                double p, double q, double r) {
    return a + b + c + d + e + f + (double)g + h + (double)i + j + k + l + m + n + o + p + q + r;
}

struct small { int8_t tag; int32_t value; };
struct floats { float x, y, z; };
struct pair { double x; int64_t n; };
struct large { struct small head; int64_t a, b, c; struct floats point; };

struct small small_negate(struct small s) { return (struct small){-s.tag, -s.value}; }
struct floats floats_double(struct floats f) {
    return (struct floats){2 * f.x, 2 * f.y, 2 * f.z};
}
struct pair pair_swap(struct pair p) { return (struct pair){(double)p.n, (int64_t)p.x}; }
struct large large_make(int64_t base) {
    return (struct large){.head = {(int8_t)base, (int32_t)-base}, .a = base + 1, .b = base + 2,
                          .c = base + 3, .point = {base + 0.5f, base + 1.5f, base + 2.5f}};
}
int64_t large_sum(struct large l) {
    return l.head.tag + l.head.value + l.a + l.b + l.c
        + (int64_t)(2 * (l.point.x + l.point.y + l.point.z));
}
uint64_t large_size(void) { return sizeof(struct large); }
void large_shift(struct large *l) { l->head.value += 100, l->c += 1000; }
int64_t ask_small(int64_t (*callback)(struct small, struct floats)) {
    return callback((struct small){-3, 70000}, (struct floats){0.5f, 1.5f, -2});
}

/* State that the caller keeps between calls. */
struct counter { int32_t steps; int64_t total; const char *name; };
void counter_add(struct counter *c, int64_t amount) { c->steps++, c->total += amount; }

int32_t fail_with(int32_t number) { return errno = number, -1; }
uint32_t fail_unsigned(int32_t number) { return errno = number, UINT32_MAX; }
void *fail_null(int32_t number) { return errno = number, NULL; }
int32_t leave_errno(int32_t number) { return errno = number, 0; }
int32_t refuse(const char **message) { return *message = strdup("the disk is\nfull"), 7; }
double not_a_number(void) { return 0.0 / 0.0; }

/* The used bytes of the heap, in arenas and in separate mappings. */
uint64_t heap_in_use(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* Appends the text to a file, so that a test can see which calls were made. */
int32_t note(const char *path, const char *text) {
    FILE *file = fopen(path, "a");
    return !file || fputs(text, file) < 0 || fclose(file) != 0 ? -1 : 0;
}

int32_t fill(uint8_t *buffer, uint64_t capacity, uint8_t byte, uint64_t *used) {
    if (*used > capacity) return -1;
    memset(buffer, byte, *used);
    return 0;
}
int64_t is_zeroed(const uint8_t *buffer, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) if (buffer[i]) return 0;
    return 1;
}
int64_t byte_at(const uint8_t *buffer, uint64_t index) { return buffer[index]; }

void *echo_pointer(void *value) { return value; }

static void *ask_from_thread(void *callback) {
    return (void *)(intptr_t)((int32_t (*)(int32_t))callback)(5);
}
int32_t ask_on_thread(int32_t (*callback)(int32_t)) {
    pthread_t thread;
    void *answer = NULL;
    if (pthread_create(&thread, NULL, ask_from_thread, (void *)callback)) return -1;
    pthread_join(thread, &answer);
    return (int32_t)(intptr_t)answer;
}
/* Calls the callback until it returns stop; returns the number of calls. */
int32_t ask_until(int32_t (*callback)(int32_t), int32_t most) {
    for (int32_t i = 0; i < most; i++) if (callback(i)) return i;
    return most;
}
void tell_strings(void (*callback)(int32_t, const char **, const char **, const char *)) {
    const char *counted[] = {"one", NULL, "three \"quoted\""};
    const char *ended[] = {"a", "b", NULL};
    callback(3, counted, ended, NULL);
}
int32_t sum_variadic(int32_t count, ...) {
    va_list list;
    va_start(list, count);
    int32_t sum = 0;
    for (int32_t i = 0; i < count; i++) sum += va_arg(list, int32_t);
    va_end(list);
    return sum;
}
