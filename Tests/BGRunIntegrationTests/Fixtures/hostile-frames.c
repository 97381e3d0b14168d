/* SPDX-License-Identifier: Apache-2.0
 * One handler for each attack through the worker's channel, past every check of the worker. */
#include "hostile.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* --- frames: a length of 32 bits, then a tag and its values, all little-endian --- */

enum { COMPLETED = 2, IDLE = 3, PROGRESS = 4, TITLE = 5, LOG = 6, CALL = 7, ASSERTION = 8, ASSERTION_ENDED = 9,
       SHORT = 13 };

static unsigned char frame[5 << 20];
static size_t length;

static void put(const void *bytes, size_t count) {
    memcpy(frame + length, bytes, count);
    length += count;
}
static void put8(uint8_t value) { put(&value, 1); }
static void put32(uint32_t value) { put(&value, 4); }
static void put64(int64_t value) { put(&value, 8); }

static void put_text(size_t count, char letter) {
    put32((uint32_t)count);
    memset(frame + length, letter, count);
    length += count;
}

static void begin(int tag, int64_t attempt) {
    length = 4;
    put8((uint8_t)tag);
    put64(attempt);
}

/* Sends the frame. Returns whether the host still reads the channel. */
static int end(void) {
    uint32_t size = (uint32_t)(length - 4);
    memcpy(frame, &size, 4);
    for (size_t sent = 0; sent < length;) {
        ssize_t count = write(CONTROL, frame + sent, length - sent);
        if (count < 0 && errno == EAGAIN) {
            poll(&(struct pollfd){.fd = CONTROL, .events = POLLOUT}, 1, -1);
            continue;
        }
        if (count < 0) return 0;
        sent += (size_t)count;
    }
    return 1;
}

static int64_t id(const bgrun_task *task) { return (int64_t)(intptr_t)task; }

static void sleep_for_ever(void) {
    for (;;) pause();
}

/* --- numbers --- */

HANDLER(enters_at_the_end_of_time) {
    begin(COMPLETED, id(task));
    put8(1);
    put8(0);
    put64(INT64_MAX);
    end();
    sleep_for_ever();
}

HANDLER(enters_before_time) {
    begin(COMPLETED, id(task));
    put8(1);
    put8(0);
    put64(INT64_MIN);
    end();
    sleep_for_ever();
}

HANDLER(goes_backwards) {
    const int64_t numbers[][2] = {{-5, -7}, {INT64_MIN, INT64_MAX}, {INT64_MAX, INT64_MIN},
                                  {INT64_MAX, 1}, {INT64_MIN, -1}, {INT64_MAX / 50, INT64_MAX}};
    for (size_t index = 0; index < sizeof numbers / sizeof *numbers; index++) {
        begin(PROGRESS, id(task));
        put64(numbers[index][0]);
        put64(numbers[index][1]);
        end();
        usleep(150000);
    }
    host->complete(task, 1, "went backwards");
}

/* Begins more assertions than permitted, and stores a checkpoint at the lowest progress. */
HANDLER(stores_before_all_numbers) {
    const bgrun_checkpoint_ext *checkpoint = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    for (int64_t number = 1; number <= 70; number++) {
        begin(ASSERTION, id(task));
        put64(number);
        put8(1);
        put_text(300, 'a');
        end();
    }
    begin(PROGRESS, id(task));
    put64(INT64_MIN);
    put64(10);
    end();
    checkpoint->put(task, 1, "x", 1);
    begin(PROGRESS, id(task));
    put64(1);
    put64(10);
    end();
    host->complete(task, 1, "stored");
}

/* --- sizes --- */

HANDLER(asserts_endlessly) {
    for (int64_t number = 1; number <= 400; number++) {
        begin(ASSERTION, id(task));
        put64(number);
        put8(1);
        put_text(1 << 20, 'a');
        if (!end()) break;
    }
    sleep_for_ever();
}

HANDLER(logs_long_lines) {
    for (int line = 0; line < 40; line++) {
        begin(LOG, id(task));
        put8(2);
        put_text((4 << 20) - 64, 'l');
        if (!end()) break;
    }
    host->complete(task, 1, "logged");
}

HANDLER(reports_at_length) {
    begin(COMPLETED, id(task));
    put8(1);
    put8(1);
    put_text((4 << 20) - 64, 'm');
    put64(0);
    end();
    sleep_for_ever();
}

HANDLER(has_long_titles) {
    for (int count = 0; count < 40; count++) {
        begin(TITLE, id(task));
        put8(1);
        put_text(2 << 20, 't');
        put8(1);
        put_text((2 << 20) - 64, 's');
        if (!end()) break;
    }
    host->complete(task, 1, "titled");
}

HANDLER(submits_deep_parameters) {
    begin(CALL, id(task));
    put32(4000000000u);
    put8(0);
    put_text(12, 'o');
    memcpy(frame + length - 12, "org.test.far", 12);
    put8(1);
    put_text(2 << 20, '[');
    put64(0);
    put8(0);
    end();
    host->complete(task, 1, "asked");
}

/* --- lies --- */

/* Reports that nothing is left while a child that ignores signals continues. */
HANDLER(says_it_is_idle) {
    if (fork() == 0) {
        setsid();
        signal(SIGTERM, SIG_IGN);
        prctl(PR_SET_PDEATHSIG, 0);
        closefrom(0);
        sleep_for_ever();
    }
    begin(COMPLETED, id(task));
    put8(1);
    put8(0);
    put64(0);
    end();
    begin(IDLE, id(task));
    put8(0);
    end();
    sleep_for_ever();
}

/* Reports that nothing is left while a child continues. */
HANDLER(is_idle_with_a_child) {
    if (fork() == 0) sleep_for_ever();
    begin(COMPLETED, id(task));
    put8(1);
    put8(0);
    put64(0);
    end();
    begin(IDLE, id(task));
    put8(0);
    end();
    sleep_for_ever();
}

HANDLER(reports_twice) {
    for (int success = 1; success >= 0; success--) {
        begin(COMPLETED, id(task));
        put8((uint8_t)success);
        put8(1);
        put_text(5, success ? '1' : '2');
        put64(0);
        end();
    }
    /* Reports progress after the end. */
    begin(PROGRESS, id(task));
    put64(77);
    put64(78);
    end();
    host->complete(task, 1, "third");
}

HANDLER(speaks_for_others) {
    for (int64_t other = 1; other <= 300; other++) {
        begin(COMPLETED, id(task) + other);
        put8(1);
        put8(0);
        put64(0);
        end();
        begin(IDLE, id(task) - other);
        put8(0);
        end();
        begin(ASSERTION_ENDED, id(task) + other);
        put64(other);
        end();
    }
    host->complete(task, 1, "spoke for others");
}

/* The worker dies, and its child reports in its place. */
HANDLER(child_reports) {
    int ready[2];
    if (pipe(ready) != 0) abort();
    if (fork() == 0) {
        char byte;
        setsid();
        close(ready[1]);
        /* Until the worker has ended. */
        while (read(ready[0], &byte, 1) > 0) {}
        begin(COMPLETED, id(task));
        put8(1);
        put8(0);
        put64(0);
        end();
        sleep_for_ever();
    }
    _exit(9);
}

/* Acts as a worker that has too few resources to begin, whose attempt does not count. */
HANDLER(is_short) {
    length = 4;
    put8(SHORT);
    put32(EAGAIN);
    end();
    _exit(0);
}

HANDLER(babbles) {
    uint32_t state = 12345;
    for (int count = 0; count < 200; count++) {
        length = 4;
        state = state * 1664525u + 1013904223u;
        size_t size = state >> 24;
        put8((uint8_t)(state >> 16) % 12);
        for (size_t index = 1; index < size; index++) {
            state = state * 1664525u + 1013904223u;
            put8((uint8_t)(state >> 24));
        }
        if (!end()) break;
    }
    sleep_for_ever();
}

static const bgrun_handler handlers[] = {
    NAMED(enters_at_the_end_of_time), NAMED(enters_before_time), NAMED(goes_backwards),
    NAMED(stores_before_all_numbers),
    NAMED(asserts_endlessly), NAMED(logs_long_lines), NAMED(reports_at_length),
    NAMED(has_long_titles), NAMED(submits_deep_parameters), NAMED(says_it_is_idle),
    NAMED(is_idle_with_a_child), NAMED(reports_twice), NAMED(speaks_for_others), NAMED(child_reports), NAMED(babbles),
    NAMED(is_short),
};

PLUGIN(handlers)
