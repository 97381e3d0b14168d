/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_TRANSFER_H
#define BGRUN_EXT_TRANSFER_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.transfer/1 ------------------------------------------ */

#define BGRUN_EXT_TRANSFER "bgrun.transfer/1"

/* Flags of a transfer (bgrun_transfer_request.flags, bgrun_transfer.flags). */
#define BGRUN_TRANSFER_UPLOAD 0x1u            /* sends a file; without it a file is fetched */
#define BGRUN_TRANSFER_DISCRETIONARY 0x2u     /* as NO_METERED, and waits for external power */
#define BGRUN_TRANSFER_NO_METERED 0x4u        /* waits for an unmetered network */
#define BGRUN_TRANSFER_NO_LAUNCH_EVENTS 0x8u  /* its end launches nothing */
#define BGRUN_TRANSFER_SUSPENDED 0x10u        /* does not start before `resume`; only in requests */
#define BGRUN_TRANSFER_TEMPORARY 0x20u        /* the file is removed after `finished` */
#define BGRUN_TRANSFER_ANY_STATUS 0x40u       /* 404 is not an error: its body is the file (Apple) */
#define BGRUN_TRANSFER_KEEP 0x80u             /* the file is not removed after `finished` */

/* States of a transfer (bgrun_transfer.state), numbered after Apple's URLSessionTask.State. */
#define BGRUN_TRANSFER_STATE_RUNNING 0u   /* or waiting for its conditions */
#define BGRUN_TRANSFER_STATE_SUSPENDED 1u /* by `suspend` or a person */
#define BGRUN_TRANSFER_STATE_CANCELING 2u
#define BGRUN_TRANSFER_STATE_COMPLETED 3u /* it has ended: see `error` */

/* How a transfer failed (bgrun_transfer.error), numbered after Apple's URLError.Code where that
 * has the case. Treat unknown ones as BGRUN_TRANSFER_E_OTHER. A failure is final: bgrun has already
 * retried. */
#define BGRUN_TRANSFER_E_OTHER (-1)
#define BGRUN_TRANSFER_E_CANCELLED (-999)           /* by a person */
#define BGRUN_TRANSFER_E_BAD_URL (-1000)            /* or a redirect led away from http and https */
#define BGRUN_TRANSFER_E_TIMED_OUT (-1001)          /* `resource_timeout_ns` is over */
#define BGRUN_TRANSFER_E_CANNOT_FIND_HOST (-1003)
#define BGRUN_TRANSFER_E_CANNOT_CONNECT (-1004)
#define BGRUN_TRANSFER_E_CONNECTION_LOST (-1005)
#define BGRUN_TRANSFER_E_TOO_MANY_REDIRECTS (-1007)
#define BGRUN_TRANSFER_E_BAD_RESPONSE (-1011)       /* `status`, or a body of another length */
#define BGRUN_TRANSFER_E_AUTHENTICATION (-1013)     /* credentials cannot be used */
#define BGRUN_TRANSFER_E_FILE_MISSING (-1100)       /* the file to send is missing or unreadable */
#define BGRUN_TRANSFER_E_TOO_LARGE (-1103)          /* the download exceeds its size limit */
#define BGRUN_TRANSFER_E_CERTIFICATE (-1202)        /* not trusted */
#define BGRUN_TRANSFER_E_CLIENT_CERTIFICATE (-1205) /* refused or unreadable */
#define BGRUN_TRANSFER_E_CANNOT_WRITE (-3003)       /* the file could not be stored */
#define BGRUN_TRANSFER_E_CHECKSUM (-5000)           /* not the file that `sha256` names */

/* The longest texts of a request, in bytes. */
#define BGRUN_TRANSFER_SESSION_MAX 256u
#define BGRUN_TRANSFER_URL_MAX 8192u
#define BGRUN_TRANSFER_TEXT_MAX 65536u /* of headers_json, description, file, resume_data */

/* since ABI 1.3. Owned by the caller, valid until create returns. */
typedef struct bgrun_transfer_request {
    uint32_t struct_size;
    uint32_t flags;                /* BGRUN_TRANSFER_... */
    const char *session;           /* when all its transfers have ended, the task of that
                                      identifier and of kind `transfer` is launched */
    const char *url;               /* http or https; NULL only with resume_data */
    const char *method;            /* NULL: GET, or PUT for an upload */
    const char *headers_json;      /* a JSON object of strings; may be NULL */
    const char *file;              /* upload: the file to send. Download: where the whole file
                                      goes; NULL: a temporary file, given to `finished`.
                                      Relative paths start at the manifest's directory */
    const char *sha256;            /* of the file, 64 hexadecimal digits; NULL: not checked */
    const char *description;       /* the plugin's own (Apple: taskDescription); may be NULL */
    const void *resume_data;       /* from cancel_resumable; may be NULL */
    uint64_t resume_size;          /* in bytes; 0 without resume_data */
    int64_t earliest_delay_ns;     /* from now; 0: no delay */
    int64_t request_timeout_ns;    /* maximum time without a byte before a retry; 0: the host's
                                      (60 seconds) */
    int64_t resource_timeout_ns;   /* for the whole transfer; 0: the host's (7 days) */
    int64_t expected_send;         /* bytes, for planning; 0: unknown */
    int64_t expected_receive;      /* bytes, for planning; 0: unknown */
    int64_t rate;                  /* limit in bytes per second; 0: none */
    uint32_t connections;          /* limit for one server in this session; 0: the host's (6) */
    uint32_t reserved;             /* zero */
} bgrun_transfer_request;

/* since ABI 1.3. Owned by the host, valid until the callback returns. */
typedef struct bgrun_transfer {
    uint32_t struct_size;
    uint32_t state;                /* BGRUN_TRANSFER_STATE_... */
    int64_t id;                    /* greater than 0, never reused in this app */
    uint32_t flags;                /* BGRUN_TRANSFER_... */
    int32_t error;                 /* BGRUN_TRANSFER_E_..., 0: none */
    int32_t status;                /* of the last response, such as 200; 0: none yet */
    uint32_t reserved;             /* zero */
    const char *session;
    const char *url;               /* as requested */
    const char *method;
    const char *description;       /* NULL: none */
    const char *file;              /* absolute. Upload: the file to send; download: where it is or
                                      will be; NULL while unknown, or after a failure */
    const char *response_url;      /* after redirects; NULL: unknown */
    const char *response_headers_json; /* a JSON object of strings; NULL before a response */
    const char *error_text;        /* for people; NULL without an error */
    int64_t received;              /* bytes of the body */
    int64_t expected_receive;      /* bytes in all; -1: unknown */
    int64_t sent;                  /* bytes of the body */
    int64_t expected_send;         /* bytes in all; -1: unknown */
    int64_t earliest_unix_ns;      /* 0: none */
    const char *answer_file;       /* since ABI 1.4. upload: the body of the server's response, at
                                      most 64 KiB, removed after `finished`; NULL: none */
    int64_t resumed_at;            /* since ABI 1.4. download: the offset at which it last resumed;
                                      -1: none */
} bgrun_transfer;

/* since ABI 1.3. Owned by the host, constant, valid until the process ends. Downloads and uploads
 * by a process of bgrun: they survive the attempt, its process and a restart (Apple: a background
 * URLSession). */
typedef struct bgrun_transfer_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Stores a transfer and sets `*id`; it starts when its conditions are met. BGRUN_E_TOO_LARGE
     * over a limit above, BGRUN_E_NOT_FOUND when the file to send or to resume is missing,
     * BGRUN_E_NOT_PERMITTED for a path of a confined handler outside BGRUN_APP_HOME,
     * or BGRUN_E_IO. Blocks. [any-thread, attempt active] */
    int32_t (*create)(bgrun_task *task, const bgrun_transfer_request *request, int64_t *id);

    /* Resumes a suspended transfer; BGRUN_OK also if it is not suspended. BGRUN_E_NOT_FOUND for an
     * unknown or ended one. Blocks. [any-thread, attempt active] */
    int32_t (*resume)(bgrun_task *task, int64_t id);

    /* Stops a transfer until `resume`. The same errors. Blocks.
     * [any-thread, attempt active] */
    int32_t (*suspend)(bgrun_task *task, int64_t id);

    /* Ends a transfer without an event and drops the fetched data. The same errors. Blocks.
     * [any-thread, attempt active] */
    int32_t (*cancel)(bgrun_task *task, int64_t id);

    /* As cancel, but keeps the fetched data of a download. Calls `receive` once with the data for a
     * later request, valid until it returns; not at all if the server's response does not allow
     * that. Blocks. [any-thread, attempt active] */
    int32_t (*cancel_resumable)(bgrun_task *task, int64_t id, void *context,
                                void (*receive)(void *context, const void *data, uint64_t size));

    /* Calls `visit`, which may call bgrun, for a copy of every transfer of a session (NULL: of the
     * app) that has not been acknowledged, in the order of ids. BGRUN_E_UNAVAILABLE as `pending`
     * of bgrun_scheduler_ext. Blocks. [any-thread, attempt active] */
    int32_t (*visit)(bgrun_task *task, const char *session, void *context,
                     void (*visit)(void *context, const bgrun_transfer *transfer));

    /* Calls `finished`, which may call bgrun and block, for every transfer of a session (NULL: the
     * one named like the attempt's task) that has ended and has not been acknowledged, in the order
     * of their end. BGRUN_OK acknowledges the transfer, which is not delivered again, and removes
     * its temporary file. When `finished` returns anything else, or the attempt has ended, `events`
     * stops and returns that value, or BGRUN_E_STATE; this and later transfers are delivered again.
     * After a crash a transfer may be delivered again without its temporary file. Blocks.
     * [any-thread, attempt active] */
    int32_t (*events)(bgrun_task *task, const char *session, void *context,
                      int32_t (*finished)(void *context, const bgrun_transfer *transfer));
} bgrun_transfer_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_TRANSFER_H */
