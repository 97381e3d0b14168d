/*
 * bgrun_plugin.h - the bgrun plugin ABI, version 1.3
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plugin is a shared library that exports ONE symbol, `bgrun_plugin_entry`.
 * bgrun loads it in a worker process, never in the host, so a crash, an exit()
 * or an endless loop ends one attempt and nothing else.
 *
 * Usable from C11 and C++11; needs <stdint.h> and <stddef.h> only.
 *
 * RULES OF THIS FILE
 *  - Every struct begins with `uint32_t struct_size`, set by whoever fills the
 *    struct to sizeof() of the version it was compiled with. Structs only grow,
 *    at the end. A reader treats a missing tail as zero or NULL.
 *  - Integers have fixed widths. There is no bool, enum, bit-field, long or
 *    size_t inside a struct. Strings are UTF-8 and end in NUL.
 *  - Optional features are reached by get_extension("bgrun.<name>/<revision>").
 *    NULL means "not supported" and is never an error.
 *  - No memory changes owner. A pointer that is passed in is valid until the
 *    call returns, unless its comment says otherwise; nobody frees what another
 *    side allocated.
 *  - No exception, longjmp or signal may cross the boundary. A C++ exception
 *    that escapes a callback ends the worker: the attempt is "crashed".
 *
 * THREADS
 *  [worker-main]  the worker's first thread. It runs entry, init and launch.
 *  [watcher]      a thread of bgrun's. It runs expire, at any moment between
 *                 launch and the end of the attempt, also while launch is still
 *                 running.
 *  [any-thread]   any thread of the process, also several at once.
 *
 * LIFE OF A PLUGIN
 *  bgrun_plugin_entry -> init -> { launch -> ... -> complete }* -> process exit
 *  entry and init run exactly once in a process. One attempt runs at a time.
 *  Between attempts the process is suspended (SIGSTOP or the cgroup freezer).
 *  The library is never unloaded; the end of the process is the unload.
 *
 * LIFE OF AN ATTEMPT
 *  launch is called; it may finish the work itself or start threads and return.
 *  Either way complete() must be called on every path. The attempt ends with it,
 *  or, if it holds assertions (bgrun.assertion/1), with the last of them. When time runs out, or a
 *  condition is lost, expire is called once with the reason and the grace that
 *  remains; then SIGTERM goes to everything the attempt started, then SIGKILL.
 *  expire may begin before the first line of launch has run, and may still be
 *  running when another thread completes. The next launch waits until launch and
 *  expire of the attempt before it have both returned.
 *  Descriptors 1 and 2 of the process go to the host's log, line by line. A
 *  handler waits for the children it starts; bgrun waits for none of them before
 *  the attempt has ended.
 */
#ifndef BGRUN_PLUGIN_H
#define BGRUN_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define BGRUN_EXPORT __attribute__((visibility("default")))
#else
#define BGRUN_EXPORT
#endif

/* ABI version: major in the high 16 bits, minor in the low 16. A host loads a
 * plugin of its own major version and any minor. */
#define BGRUN_ABI_MAJOR 1u
#define BGRUN_ABI_MINOR 3u
#define BGRUN_ABI_VERSION ((BGRUN_ABI_MAJOR << 16) | BGRUN_ABI_MINOR)

/* The name of the one exported symbol. */
#define BGRUN_ENTRY_SYMBOL "bgrun_plugin_entry"

/* ---- results ------------------------------------------------------------ */

/* Every host function that returns int32_t returns one of these. */
#define BGRUN_OK 0
#define BGRUN_E_INVALID (-1)     /* an argument is NULL, malformed or out of range */
#define BGRUN_E_STATE (-2)       /* not now: the attempt has ended, or init is over */
#define BGRUN_E_EXISTS (-3)      /* a handler of that name is registered already */
#define BGRUN_E_TOO_LARGE (-4)   /* over the limit the comment names */
#define BGRUN_E_NOT_FOUND (-5)   /* nothing is stored under that name */
#define BGRUN_E_UNAVAILABLE (-6) /* the host cannot do it, or is going away */
#define BGRUN_E_IO (-7)          /* the host could not store it; nothing changed */
/* Refusals of submit, numbered after Apple's BGTaskScheduler.Error.Code. */
#define BGRUN_E_TOO_MANY_PENDING (-20) /* Apple: tooManyPendingTaskRequests */
#define BGRUN_E_NOT_PERMITTED (-21)    /* Apple: notPermitted */
#define BGRUN_E_NOT_IMMEDIATELY (-22)  /* Apple: immediateRunIneligible */

/* ---- words -------------------------------------------------------------- */

/* Task kinds (bgrun_launch.kind, bgrun_request.kind). */
#define BGRUN_KIND_APP_REFRESH 1u
#define BGRUN_KIND_PROCESSING 2u
#define BGRUN_KIND_PUSH 3u
#define BGRUN_KIND_CONTINUED 4u
#define BGRUN_KIND_TRANSFER 5u

/* `requires:` of a task or a request (bgrun_request.requires, bgrun_app_ext.task_requires). */
#define BGRUN_REQUIRES_POWER 0x1       /* Apple: requiresExternalPower */
#define BGRUN_REQUIRES_NETWORK 0x2     /* Apple: requiresNetworkConnectivity */
#define BGRUN_REQUIRES_UNMETERED 0x4
#define BGRUN_REQUIRES_IDLE 0x8
#define BGRUN_REQUIRES_BATTERY 0x10
#define BGRUN_REQUIRES_STORAGE 0x20
#define BGRUN_REQUIRES_GPU 0x40        /* Apple: requiredResources */

/* Why an attempt is revoked (bgrun_expiration.reason). Values are never reused;
 * treat an unknown one as BGRUN_REASON_OTHER. */
#define BGRUN_REASON_OTHER 0u
#define BGRUN_REASON_TIME 1u             /* the granted time is over */
#define BGRUN_REASON_POWER_LOST 2u       /* external power was required and went away */
#define BGRUN_REASON_NETWORK_LOST 3u     /* a network was required and went away */
#define BGRUN_REASON_BECAME_METERED 4u   /* an unmetered network was required */
#define BGRUN_REASON_USER_ACTIVE 5u      /* idleness was required and a person came back */
#define BGRUN_REASON_LOW_BATTERY 6u
#define BGRUN_REASON_LOW_POWER_MODE 7u
#define BGRUN_REASON_THERMAL 8u
#define BGRUN_REASON_PRESSURE 9u
#define BGRUN_REASON_QUOTA 10u
#define BGRUN_REASON_STALLED 11u
#define BGRUN_REASON_PREEMPTED 12u
#define BGRUN_REASON_CANCELLED 13u       /* a person or program asked for it */
#define BGRUN_REASON_SHUTDOWN 14u        /* the host is ending */
#define BGRUN_REASON_SUSPEND 15u
#define BGRUN_REASON_MANIFEST_CHANGED 16u

/* The handler that `handler: plugin` of a manifest names, without a dot: for plugins that tell
 * their tasks apart by bgrun_launch.identifier. */
#define BGRUN_DEFAULT_HANDLER "default"

/* Log levels. */
#define BGRUN_LOG_DEBUG 0u
#define BGRUN_LOG_INFO 1u
#define BGRUN_LOG_WARNING 2u
#define BGRUN_LOG_ERROR 3u

/* Plugin flags (bgrun_plugin.flags). */
/* The plugin's runtime keeps threads of its own between attempts (a thread pool).
 * Without it a worker that has more threads after an attempt than before is not
 * reused. The threads are suspended with the process all the same. */
#define BGRUN_PLUGIN_KEEPS_THREADS 0x1u
/* The plugin opens descriptors once and keeps them (a database handle, a log).
 * Without it a worker that has other open descriptors after an attempt than
 * before is not reused. */
#define BGRUN_PLUGIN_KEEPS_DESCRIPTORS 0x2u

/* ---- opaque types ------------------------------------------------------- */

/* One attempt. Valid from launch until the process ends: calls made after the
 * attempt has ended are harmless and return BGRUN_E_STATE. */
typedef struct bgrun_task bgrun_task;

/* ---- what the host tells a handler -------------------------------------- */

/* since ABI 1.0. Owned by the host, valid until launch returns; the strings stay
 * valid until launch has returned and the attempt has ended. */
typedef struct bgrun_launch {
    uint32_t struct_size;
    uint32_t kind;                 /* BGRUN_KIND_... */
    uint32_t attempt;              /* 1 for the first attempt of this request */
    uint32_t reserved;             /* zero */
    const char *identifier;        /* never NULL */
    const char *parameters_json;   /* a JSON object, "{}" when there are none; never NULL */
    const char *manifest_directory; /* absolute; relative paths in parameters start here */
    int64_t deadline_boottime_ns;  /* CLOCK_BOOTTIME at which time runs out; 0: no limit */
} bgrun_launch;

/* since ABI 1.0. Owned by the host, valid until expire returns. */
typedef struct bgrun_expiration {
    uint32_t struct_size;
    uint32_t reason;               /* BGRUN_REASON_... */
    int64_t grace_ns;              /* time left until SIGTERM; may be 0 */
    int64_t deadline_boottime_ns;  /* CLOCK_BOOTTIME of that SIGTERM */
    const char *reason_text;       /* for people, never NULL, for example "time" */
} bgrun_expiration;

/* ---- what a plugin gives ------------------------------------------------ */

/* since ABI 1.0. Copied by register_handler; `name` is copied too. */
typedef struct bgrun_handler {
    uint32_t struct_size;
    uint32_t flags;                /* zero */
    const char *name;              /* the part after the dot in `handler: plugin.name`;
                                      1 to 128 of [A-Za-z0-9_-]; never NULL */
    void *user_data;               /* passed back as it is; may be NULL; owned by the plugin */

    /* Starts the work of one attempt. Mandatory. May block: the thread is the
     * attempt's own. Returning does not end the attempt, complete() does.
     * [worker-main] */
    void (*launch)(void *user_data, bgrun_task *task, const bgrun_launch *launch);

    /* Time is revoked: stop, save a checkpoint, call complete(task, 0, ...), end the
     * assertions. Called at most once per attempt, and after complete() only while the
     * attempt holds an assertion. Must return soon and must not block on launch. NULL: the attempt is ended at once as
     * unsuccessful (Apple: "marked complete and unsuccessful").
     * [watcher, attempt active] */
    void (*expire)(void *user_data, bgrun_task *task, const bgrun_expiration *expiration);
} bgrun_handler;

typedef struct bgrun_host bgrun_host;

/* since ABI 1.0. Owned by the plugin, constant, valid until the process ends. */
typedef struct bgrun_plugin {
    uint32_t struct_size;
    uint32_t abi_version;          /* BGRUN_ABI_VERSION the plugin was compiled with */
    uint32_t flags;                /* BGRUN_PLUGIN_... or zero */
    uint32_t reserved;             /* zero */
    const char *name;              /* for people, never NULL */
    const char *version;           /* for people, may be NULL */

    /* Registers handlers with host->register_handler. Mandatory. Returns BGRUN_OK,
     * or anything else to be refused (log the cause first). `host` stays valid
     * until the process ends. Called exactly once. May block.
     * [worker-main] */
    int32_t (*init)(const bgrun_host *host);

    /* Features of the plugin that a later host may look for. May be NULL. Returns
     * NULL for an id it does not know. Must not block.
     * [any-thread] */
    const void *(*get_extension)(const char *extension_id);
} bgrun_plugin;

/* ---- what the host gives ------------------------------------------------ */

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
struct bgrun_host {
    uint32_t struct_size;
    uint32_t abi_version;          /* of the host; use it to know which fields exist */
    void *host_data;               /* the host's own */
    const char *name;              /* "bgrun" */
    const char *version;           /* of the host, for people */

    /* Registers a handler. BGRUN_E_STATE after init has returned, BGRUN_E_EXISTS for
     * a name that is taken, BGRUN_E_INVALID for a bad name or a NULL launch.
     * Does not block. [worker-main, during init] */
    int32_t (*register_handler)(const bgrun_host *host, const bgrun_handler *handler);

    /* Returns the table of an extension, constant and valid until the process ends,
     * or NULL when this host does not have it. Does not block. [any-thread] */
    const void *(*get_extension)(const bgrun_host *host, const char *extension_id);

    /* Ends the attempt: `success` non-zero or zero; `message` for people, may be NULL.
     * The first call wins: later ones return BGRUN_E_STATE and change nothing. A
     * completion after expire is recorded as expired, with what was reported beside
     * it. The process may be suspended as soon as this is called, unless the attempt
     * holds an assertion. Does not block. [any-thread] */
    int32_t (*complete)(bgrun_task *task, int32_t success, const char *message);

    /* 1 once the attempt is expired or ended, else 0. Cheap: one atomic load.
     * [any-thread] */
    int32_t (*is_expired)(bgrun_task *task);

    /* 1 when the host would like the work to stop at the next good place (after
     * XPC's xpc_activity_should_defer), else 0. Cheap. [any-thread] */
    int32_t (*should_defer)(bgrun_task *task);

    /* Reports progress in units of the handler's choice. total <= 0 means unknown.
     * BGRUN_E_INVALID when completed is negative. The host keeps the newest and may
     * skip some. Does not block. [any-thread, attempt active] */
    int32_t (*set_progress)(bgrun_task *task, int64_t completed, int64_t total);

    /* Sets the title and subtitle shown beside the progress; NULL leaves one as it is.
     * At most 256 bytes each are kept. Does not block. [any-thread, attempt active] */
    int32_t (*set_title)(bgrun_task *task, const char *title, const char *subtitle);

    /* Writes one line to the host's log. `task` may be NULL outside an attempt. Lines
     * over 4096 bytes are cut; a line feed inside is written as a space. An unknown
     * level counts as BGRUN_LOG_ERROR. May block while the host is behind.
     * [any-thread] */
    int32_t (*log)(const bgrun_host *host, bgrun_task *task, uint32_t level, const char *message);
};

/* ---- extension bgrun.checkpoint/1 ---------------------------------------- */

#define BGRUN_EXT_CHECKPOINT "bgrun.checkpoint/1"
/* The largest checkpoint, in bytes. */
#define BGRUN_CHECKPOINT_MAX 1048576u

/* since ABI 1.0. Owned by the host, constant, valid until the process ends.
 * One checkpoint per task identifier, kept when an attempt fails, expires or
 * crashes and across restarts; removed when an attempt completes with success. */
typedef struct bgrun_checkpoint_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Replaces the checkpoint, whole or not at all, and returns once it is on disk.
     * `data` may be NULL when size is 0, which removes it. BGRUN_E_TOO_LARGE over
     * BGRUN_CHECKPOINT_MAX, BGRUN_E_STATE after the attempt has ended, BGRUN_E_IO
     * when it could not be stored (the old one stands). Blocks. [any-thread] */
    int32_t (*put)(bgrun_task *task, uint32_t version, const void *data, uint64_t size);

    /* Copies at most `capacity` bytes of the checkpoint to `buffer` and sets `*size` to
     * its whole size and `*version` to the number it was stored with. `buffer` may be
     * NULL when capacity is 0; `version` may be NULL. BGRUN_E_NOT_FOUND without one,
     * BGRUN_E_STATE after the attempt has ended. Does not block. [any-thread] */
    int32_t (*get)(bgrun_task *task, void *buffer, uint64_t capacity, uint64_t *size,
                   uint32_t *version);
} bgrun_checkpoint_ext;

/* ---- extension bgrun.scheduler/1 ----------------------------------------- */

#define BGRUN_EXT_SCHEDULER "bgrun.scheduler/1"

/* since ABI 1.0. A task request. Owned by the caller, valid until submit returns. */
typedef struct bgrun_request {
    uint32_t struct_size;
    uint32_t reserved;             /* zero */
    const char *identifier;        /* must be permitted by the manifest */
    const char *parameters_json;   /* a JSON object laid over the manifest's; may be NULL */
    int64_t earliest_delay_ns;     /* not before now + this; 0: no delay (Apple: nil) */
    uint32_t requires;             /* since ABI 1.2. BGRUN_REQUIRES_... besides what the task
                                    * requires; 0: nothing */
    uint32_t reserved2;            /* zero */
} bgrun_request;

/* since ABI 1.0. Owned by the host, valid until visit returns. */
typedef struct bgrun_pending {
    uint32_t struct_size;
    uint32_t kind;                 /* BGRUN_KIND_... */
    const char *identifier;
    int64_t earliest_unix_ns;      /* 0: none */
} bgrun_pending;

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
typedef struct bgrun_scheduler_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Submits a request; returns once it is stored, or refused. Replaces a pending
     * request of the same identifier (Apple). BGRUN_E_NOT_PERMITTED,
     * BGRUN_E_TOO_MANY_PENDING, BGRUN_E_NOT_IMMEDIATELY (kind `continued`, strategy
     * `fail`), BGRUN_E_NOT_FOUND (no task of the manifest handles it) or BGRUN_E_INVALID
     * when refused. Blocks. [any-thread, attempt active] */
    int32_t (*submit)(bgrun_task *task, const bgrun_request *request);

    /* Cancels the pending request of an identifier; a running attempt goes on (Apple).
     * BGRUN_E_NOT_FOUND when there is none. Blocks. [any-thread, attempt active] */
    int32_t (*cancel)(bgrun_task *task, const char *identifier);

    /* Calls `visit` for a copy of every pending request, in identifier order, on the
     * calling thread, before it returns. `visit` must not call back into bgrun.
     * Blocks. [any-thread, attempt active] */
    int32_t (*pending)(bgrun_task *task, void *context,
                       void (*visit)(void *context, const bgrun_pending *pending));
} bgrun_scheduler_ext;

/* ---- extension bgrun.device/1 -------------------------------------------- */

#define BGRUN_EXT_DEVICE "bgrun.device/1"

/* Values of a yes/no reading. An unknown never turns into yes or no by itself. */
#define BGRUN_UNKNOWN (-1)
#define BGRUN_NO 0
#define BGRUN_YES 1

/* since ABI 1.0. Owned by the caller. The device as it was when the attempt was
 * launched. */
typedef struct bgrun_device {
    uint32_t struct_size;
    int32_t external_power;        /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t battery_percent;       /* 0 to 100, or BGRUN_UNKNOWN */
    int32_t low_power_mode;        /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t network;               /* BGRUN_YES when there is one */
    int32_t network_metered;       /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t user_idle;             /* BGRUN_YES, BGRUN_NO, BGRUN_UNKNOWN */
    int32_t thermal_state;         /* 0 nominal, 1 fair, 2 serious, 3 critical, or BGRUN_UNKNOWN */
} bgrun_device;

/* since ABI 1.0. Owned by the host, constant, valid until the process ends. */
typedef struct bgrun_device_ext {
    uint32_t struct_size;
    uint32_t reserved;
    /* Fills *device up to the struct_size the caller has set and leaves that as it is.
     * BGRUN_E_INVALID when it does not reach past itself. Does not block.
     * [any-thread, attempt active] */
    int32_t (*read)(bgrun_task *task, bgrun_device *device);
} bgrun_device_ext;

/* ---- extension bgrun.assertion/1 ----------------------------------------- */

#define BGRUN_EXT_ASSERTION "bgrun.assertion/1"
/* What begin returns when there is no time to be had (Apple:
 * UIBackgroundTaskIdentifier.invalid). */
#define BGRUN_ASSERTION_INVALID 0
/* The most assertions an attempt may hold at once. */
#define BGRUN_ASSERTIONS_MAX 64u

/* since ABI 1.1. Owned by the host, constant, valid until the process ends.
 * Short work after the report, for example to save state. An attempt that holds
 * assertions when it calls complete() goes on until it has ended them all and launch has
 * returned, at most for the policy's `assertion_limit`. When that time is over, or is
 * revoked for another reason, expire is called with the reason and the grace, as ever.
 * The attempt's outcome is what it has reported all the same; assertions that are held
 * when the limit is reached hold back the next launch of the task. */
typedef struct bgrun_assertion_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Begins an assertion (Apple: beginBackgroundTask) and returns its id, greater than 0
     * and never used again in this process. `name` is for people, of at most 256 bytes;
     * may be NULL. BGRUN_ASSERTION_INVALID when time is revoked already, when the attempt
     * has ended, or when it holds BGRUN_ASSERTIONS_MAX. Adds no time to that of other
     * assertions. Does not block. [any-thread] */
    int64_t (*begin)(bgrun_task *task, const char *name);

    /* Ends an assertion (Apple: endBackgroundTask). An id that is not held, also
     * BGRUN_ASSERTION_INVALID, is ignored. With the last one, after complete(), the
     * attempt is over: the process may be suspended. Does not block. [any-thread] */
    void (*end)(bgrun_task *task, int64_t id);

    /* The time the attempt may count on, in nanoseconds (Apple: backgroundTimeRemaining):
     * until expire; once that has been called, until SIGTERM; 0 when the attempt has
     * ended. INT64_MAX: no limit. Cheap: the host is not asked. [any-thread] */
    int64_t (*time_remaining)(bgrun_task *task);
} bgrun_assertion_ext;

/* ---- extension bgrun.app/1 ----------------------------------------------- */

#define BGRUN_EXT_APP "bgrun.app/1"

/* since ABI 1.2. Owned by the host, constant, valid until the process ends. What the
 * manifest says of the app; there from init on, and absent when the plugin is loaded
 * without a manifest (`bgrun plugin check`). */
typedef struct bgrun_app_ext {
    uint32_t struct_size;
    uint32_t reserved;
    const char *app;                /* the manifest's `app`; never NULL */
    const char *manifest_directory; /* absolute; never NULL */

    /* BGRUN_KIND_... of the task that handles an identifier, or a pattern as the manifest
     * writes it (`com.example.export.*`). BGRUN_E_NOT_PERMITTED when
     * `permitted_identifiers` does not have it, BGRUN_E_NOT_FOUND when it has and no task
     * handles it, BGRUN_E_INVALID for NULL. Does not block. [any-thread] */
    int32_t (*task_kind)(const bgrun_host *host, const char *identifier);

    /* BGRUN_REQUIRES_... of that task, 0 for none; the same errors. Does not block.
     * [any-thread] */
    int32_t (*task_requires)(const bgrun_host *host, const char *identifier);
} bgrun_app_ext;

/* ---- extension bgrun.transfer/1 ------------------------------------------ */

#define BGRUN_EXT_TRANSFER "bgrun.transfer/1"

/* Flags of a transfer (bgrun_transfer_request.flags, bgrun_transfer.flags). */
#define BGRUN_TRANSFER_UPLOAD 0x1u            /* sends a file; without it a file is fetched */
#define BGRUN_TRANSFER_DISCRETIONARY 0x2u     /* waits for external power, and as the next one */
#define BGRUN_TRANSFER_NO_METERED 0x4u        /* waits for an unmetered network */
#define BGRUN_TRANSFER_NO_LAUNCH_EVENTS 0x8u  /* its end launches nothing */
#define BGRUN_TRANSFER_SUSPENDED 0x10u        /* does not start before `resume`; of requests */
#define BGRUN_TRANSFER_TEMPORARY 0x20u        /* `finished` has the file, then it is removed */

/* States of a transfer (bgrun_transfer.state), numbered after Apple's URLSessionTask.State. */
#define BGRUN_TRANSFER_STATE_RUNNING 0u   /* it goes on, or waits for what it needs */
#define BGRUN_TRANSFER_STATE_SUSPENDED 1u /* by `suspend`, or by a person */
#define BGRUN_TRANSFER_STATE_CANCELING 2u
#define BGRUN_TRANSFER_STATE_COMPLETED 3u /* it has ended, well or badly: see `error` */

/* How a transfer failed (bgrun_transfer.error), numbered after Apple's URLError.Code where that
 * has the case. Treat an unknown one as BGRUN_TRANSFER_E_OTHER. What can be tried again has been:
 * a failure is final. */
#define BGRUN_TRANSFER_E_OTHER (-1)
#define BGRUN_TRANSFER_E_CANCELLED (-999)           /* by a person */
#define BGRUN_TRANSFER_E_BAD_URL (-1000)            /* or a redirect led away from http and https */
#define BGRUN_TRANSFER_E_TIMED_OUT (-1001)          /* `resource_timeout_ns` is over */
#define BGRUN_TRANSFER_E_CANNOT_FIND_HOST (-1003)
#define BGRUN_TRANSFER_E_CANNOT_CONNECT (-1004)
#define BGRUN_TRANSFER_E_CONNECTION_LOST (-1005)
#define BGRUN_TRANSFER_E_TOO_MANY_REDIRECTS (-1007)
#define BGRUN_TRANSFER_E_BAD_RESPONSE (-1011)       /* `status`, or a body of another length */
#define BGRUN_TRANSFER_E_AUTHENTICATION (-1013)     /* its credentials cannot be used */
#define BGRUN_TRANSFER_E_FILE_MISSING (-1100)       /* the file to send is gone or unreadable */
#define BGRUN_TRANSFER_E_CERTIFICATE (-1202)        /* the server's is not trusted */
#define BGRUN_TRANSFER_E_CLIENT_CERTIFICATE (-1205) /* ours was refused, or cannot be read */
#define BGRUN_TRANSFER_E_CANNOT_WRITE (-3003)       /* the file could not be stored */
#define BGRUN_TRANSFER_E_CHECKSUM (-5000)           /* not the file that `sha256` names */

/* The longest texts of a request, in bytes. */
#define BGRUN_TRANSFER_SESSION_MAX 256u
#define BGRUN_TRANSFER_URL_MAX 8192u
#define BGRUN_TRANSFER_TEXT_MAX 65536u /* of headers_json, description, file, resume_data */

/* since ABI 1.3. A transfer to be made. Owned by the caller, valid until create returns. */
typedef struct bgrun_transfer_request {
    uint32_t struct_size;
    uint32_t flags;                /* BGRUN_TRANSFER_... */
    const char *session;           /* what it belongs to, never NULL; when all transfers of a
                                      session have ended, the task of that identifier and of kind
                                      `transfer` is launched */
    const char *url;               /* http or https; NULL only with resume_data */
    const char *method;            /* NULL: GET, or PUT for an upload */
    const char *headers_json;      /* a JSON object of strings; may be NULL */
    const char *file;              /* upload: what is sent, never NULL. Download: where it goes
                                      when it is whole; NULL: a temporary file, given to
                                      `finished`. Relative paths start at the manifest's directory */
    const char *sha256;            /* of the file, 64 hexadecimal digits; NULL: not checked */
    const char *description;       /* the plugin's own (Apple: taskDescription); may be NULL */
    const void *resume_data;       /* from cancel_resumable: goes on there; may be NULL */
    uint64_t resume_size;          /* of resume_data, in bytes; 0 without it */
    int64_t earliest_delay_ns;     /* not before now + this; 0: no delay */
    int64_t request_timeout_ns;    /* without a byte for so long it is tried again; 0: the host's
                                      (60 seconds) */
    int64_t resource_timeout_ns;   /* the longest it may take in all; 0: the host's (7 days) */
    int64_t expected_send;         /* bytes, for planning; 0: unknown */
    int64_t expected_receive;      /* bytes, for planning; 0: unknown */
    int64_t rate;                  /* at most so many bytes a second; 0: no limit */
    uint32_t connections;          /* at most so many to one server at a time in this session;
                                      0: the host's (6) */
    uint32_t reserved;             /* zero */
} bgrun_transfer_request;

/* since ABI 1.3. A transfer as it stands. Owned by the host, valid until the callback it was
 * passed to returns. */
typedef struct bgrun_transfer {
    uint32_t struct_size;
    uint32_t state;                /* BGRUN_TRANSFER_STATE_... */
    int64_t id;                    /* greater than 0, never used again in this app */
    uint32_t flags;                /* BGRUN_TRANSFER_... */
    int32_t error;                 /* BGRUN_TRANSFER_E_..., 0: none */
    int32_t status;                /* of the last response, for example 200; 0: none yet */
    uint32_t reserved;             /* zero */
    const char *session;           /* never NULL */
    const char *url;               /* as it was asked for, never NULL */
    const char *method;            /* never NULL */
    const char *description;       /* NULL: none */
    const char *file;              /* upload: what is sent; download: where it is or will be,
                                      absolute; NULL while it is not known, or after a failure */
    const char *response_url;      /* after redirects; NULL when it is not known */
    const char *response_headers_json; /* a JSON object of strings; NULL before a response */
    const char *error_text;        /* for people; NULL without an error */
    int64_t received;              /* bytes of the body */
    int64_t expected_receive;      /* bytes in all; -1: unknown */
    int64_t sent;                  /* bytes of the body */
    int64_t expected_send;         /* bytes in all; -1: unknown */
    int64_t earliest_unix_ns;      /* 0: none */
} bgrun_transfer;

/* since ABI 1.3. Owned by the host, constant, valid until the process ends. Downloads and uploads
 * that a process of bgrun's makes: they go on when the attempt ends, when its process is killed
 * and after a restart (Apple: a background URLSession). */
typedef struct bgrun_transfer_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Stores a transfer and sets `*id`; it starts when what it needs is there. `request` and `id`
     * must not be NULL. BGRUN_E_INVALID for a request that is malformed, BGRUN_E_TOO_LARGE over a
     * limit above, BGRUN_E_NOT_FOUND when the file to send is not there or what resume_data goes
     * on with is gone, BGRUN_E_IO when it could not be stored, BGRUN_E_STATE after the attempt
     * has ended. Blocks. [any-thread, attempt active] */
    int32_t (*create)(bgrun_task *task, const bgrun_transfer_request *request, int64_t *id);

    /* Lets a suspended transfer go on; BGRUN_OK also when it goes on already. BGRUN_E_NOT_FOUND for
     * an id that is not there or has ended. Blocks. [any-thread, attempt active] */
    int32_t (*resume)(bgrun_task *task, int64_t id);

    /* Stops a transfer where it is until `resume`. The same errors. Blocks.
     * [any-thread, attempt active] */
    int32_t (*suspend)(bgrun_task *task, int64_t id);

    /* Ends a transfer and drops what was fetched. No event comes of it. The same errors. Blocks.
     * [any-thread, attempt active] */
    int32_t (*cancel)(bgrun_task *task, int64_t id);

    /* As cancel, and keeps what a download has fetched. Calls `receive` once, on the calling
     * thread, before it returns, with the data a later request goes on with; not at all when the
     * server's answer does not allow that. `data` is valid until `receive` returns. Blocks.
     * [any-thread, attempt active] */
    int32_t (*cancel_resumable)(bgrun_task *task, int64_t id, void *context,
                                void (*receive)(void *context, const void *data, uint64_t size));

    /* Calls `visit` for a copy of every transfer of a session, or of the app when `session` is
     * NULL, that has not been acknowledged, in the order of ids, on the calling thread, before it
     * returns. `visit` must not be NULL, and may call bgrun. Blocks.
     * [any-thread, attempt active] */
    int32_t (*visit)(bgrun_task *task, const char *session, void *context,
                     void (*visit)(void *context, const bgrun_transfer *transfer));

    /* Calls `finished` for every transfer of a session that has ended and has not been
     * acknowledged, in the order they ended, on the calling thread, before it returns. `session`
     * NULL: the one named like the attempt's task. `finished` must not be NULL, may call bgrun and
     * may block. When it returns BGRUN_OK, the file, if it is temporary and still there, is
     * removed, and the transfer is acknowledged: it is not seen again. When it returns anything
     * else, or the attempt has ended, `events` stops there and returns that value, or
     * BGRUN_E_STATE; the transfer and those after it come again. After a crash a transfer may come a second time,
     * its temporary file gone. Blocks. [any-thread, attempt active] */
    int32_t (*events)(bgrun_task *task, const char *session, void *context,
                      int32_t (*finished)(void *context, const bgrun_transfer *transfer));
} bgrun_transfer_ext;

/* ---- extension bgrun.push/1 ---------------------------------------------- */

#define BGRUN_EXT_PUSH "bgrun.push/1"

/* What came of a push, numbered after Apple's UIBackgroundFetchResult. */
#define BGRUN_FETCH_NEW_DATA 0u
#define BGRUN_FETCH_NO_DATA 1u
#define BGRUN_FETCH_FAILED 2u

/* since ABI 1.3. Owned by the host, valid until visit returns. */
typedef struct bgrun_push_message {
    uint32_t struct_size;
    uint32_t priority;             /* as it was sent; 5 for a silent push */
    const char *payload_json;      /* a JSON object with `aps`, its keys sorted; never NULL */
    const char *collapse_id;       /* NULL: none */
    int64_t received_unix_ns;
} bgrun_push_message;

/* since ABI 1.3. Owned by the host, constant, valid until the process ends. For attempts of kind
 * BGRUN_KIND_PUSH. */
typedef struct bgrun_push_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Calls `visit` for a copy of every message held for the attempt's task when it was launched,
     * oldest first, on the calling thread, before it returns; for none in attempts of other kinds.
     * They are gone when the attempt ends with success, and come again with the next one
     * otherwise. The newest payload is the member `push` of bgrun_launch.parameters_json, too.
     * `visit` must not be NULL, and may call bgrun. Blocks. [any-thread, attempt active] */
    int32_t (*messages)(bgrun_task *task, void *context,
                        void (*visit)(void *context, const bgrun_push_message *message));

    /* As bgrun_host.complete, with a BGRUN_FETCH_...: the attempt succeeds unless it is
     * BGRUN_FETCH_FAILED. BGRUN_E_INVALID for another number, BGRUN_E_STATE in attempts of other
     * kinds and after a report. Blocks. [any-thread] */
    int32_t (*complete)(bgrun_task *task, uint32_t result);
} bgrun_push_ext;

/* ---- the entry ----------------------------------------------------------- */

/* Returns the plugin's table, or NULL when it cannot work with a host of this ABI
 * version. Called once. Must not block and must not start threads.
 * [worker-main] */
BGRUN_EXPORT const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version);
typedef const bgrun_plugin *(*bgrun_plugin_entry_fn)(uint32_t host_abi_version);

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_PLUGIN_H */
