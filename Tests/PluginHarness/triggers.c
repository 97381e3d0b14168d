/* SPDX-License-Identifier: Apache-2.0
 * triggers.c - "when this happens, do that": how a test makes a moment exact without sleeping. */
#include "harness.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

typedef struct trigger {
    char *event, *text, *action;
    long wanted, seen;
} trigger;

static trigger triggers[16];
static int trigger_count;

void trigger_add(const char *specification) {
    char *copy = strdup(specification);
    char *action = copy ? strstr(copy, "=") : NULL;
    if (!action || trigger_count == 16) {
        fprintf(stderr, "harness: not EVENT[:TEXT][#N]=ACTION: %s\n", specification);
        exit(EX_USAGE);
    }
    *action++ = 0;
    trigger *new = &triggers[trigger_count++];
    *new = (trigger){.event = copy, .action = action, .wanted = 1};
    char *number = strchr(copy, '#');
    if (number) {
        *number++ = 0;
        new->wanted = strtol(number, NULL, 10);
    }
    char *text = strchr(copy, ':');
    if (text) {
        *text++ = 0;
        new->text = text;
    }
}

void trigger_reset(void) {
    for (int i = 0; i < trigger_count; i++) triggers[i].seen = 0;
}

static void perform(const char *action) {
    if (strcmp(action, "expire") == 0) {
        expire_now();
    } else if (strcmp(action, "defer") == 0) {
        pthread_mutex_lock(&lock);
        current->deferred = true;
        pthread_mutex_unlock(&lock);
    } else if (strcmp(action, "kill") == 0) {
        kill(getpid(), SIGKILL);
    } else if (strncmp(action, "run:", 4) == 0) {
        if (system(action + 4) != 0) report("command failed: %s", action + 4);
    } else {
        fprintf(stderr, "harness: no such action: %s\n", action);
        _exit(EX_USAGE);
    }
}

void happened(const char *event, const char *text) {
    for (int i = 0; i < trigger_count; i++) {
        trigger *one = &triggers[i];
        if (strcmp(one->event, event) != 0) continue;
        if (one->text && (!text || !strstr(text, one->text))) continue;
        if (__atomic_add_fetch(&one->seen, 1, __ATOMIC_SEQ_CST) == one->wanted)
            perform(one->action);
    }
}

static pthread_cond_t watched = PTHREAD_COND_INITIALIZER;
static pthread_t watcher;

static void *watch(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!current || !current->expire_running) pthread_cond_wait(&watched, &lock);
        struct bgrun_task *task = current;
        pthread_mutex_unlock(&lock);

        struct timespec now;
        clock_gettime(CLOCK_BOOTTIME, &now);
        bgrun_expiration expiration = {
            .struct_size = sizeof expiration,
            .reason = options.reason,
            .grace_ns = options.grace_ns,
            .deadline_boottime_ns =
                (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + options.grace_ns,
            .reason_text = "time",
        };
        task->handler->expire(task->handler->user_data, task, &expiration);
        report("expire returned");

        pthread_mutex_lock(&lock);
        task->expire_running = false;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

void watcher_start(void) { pthread_create(&watcher, NULL, watch, NULL); }

void watcher_wait(void) {
    pthread_mutex_lock(&lock);
    while (current->expire_running) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

void expire_now(void) {
    pthread_mutex_lock(&lock);
    bool due = !current->ended && !current->expired;
    if (due) {
        current->expired = true;
        report("expire");
        if (current->handler->expire) {
            current->expire_running = true;
            pthread_cond_signal(&watched);
        } else {
            current->ended = true;
            report("ended without an expire callback");
        }
    }
    pthread_mutex_unlock(&lock);
    /* Calls of expire itself may trigger this too; it must not wait for itself. */
    if (due && !pthread_equal(pthread_self(), watcher)) watcher_wait();
}
