/*
 * bgrun_plan.h - how bgrun-init confines a worker: the plan that the host compiles.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A plan is one block of memory in a sealed memfd: `struct bgrun_plan`, then the arrays that it names, then the
 * strings. Host and bgrun-init are installed together: a plan has exactly one version.
 */
#ifndef BGRUN_PLAN_H
#define BGRUN_PLAN_H

#include <stdint.h>

#define BGRUN_PLAN_MAGIC 0x4e4c5042u /* "BPLN" */
#define BGRUN_PLAN_VERSION 1u
#define BGRUN_PLAN_MOST_BYTES (256u << 10)
#define BGRUN_PLAN_MOST_MOUNTS 512u

/* The descriptors of bgrun-init beside those of the worker, which are 0 to 5. */
enum { BGRUN_INIT_PLUGIN = 5, BGRUN_INIT_PLAN = 6, BGRUN_INIT_REPORT = 7, BGRUN_INIT_DESCRIPTORS = 8 };

/* `flags` of a plan. */
#define BGRUN_PLAN_NAMESPACES 1u         /* mount, PID and IPC namespaces */
#define BGRUN_PLAN_USER_NAMESPACE 2u     /* with a user namespace: the caller is not root */
#define BGRUN_PLAN_NETWORK_NAMESPACE 4u  /* without any network */
#define BGRUN_PLAN_HAS_PLUGIN 8u         /* descriptor 5 is the file of a pinned plugin */

/* An array in the plan: its offset in bytes and its number of elements. */
struct bgrun_plan_part {
    uint32_t offset;
    uint32_t count;
};

struct bgrun_plan {
    uint32_t magic;
    uint32_t version;
    uint32_t size; /* bytes, all of the plan */
    uint32_t flags;
    uint32_t user;
    uint32_t group;
    uint64_t capabilities; /* those that the worker keeps, as a bit mask */
    uint64_t handled_files; /* Landlock's access rights: what is not granted by `paths` is denied; 0: no Landlock */
    uint64_t handled_ports; /* the same for `ports` */
    uint64_t scoped;
    struct bgrun_plan_part mounts; /* struct bgrun_plan_mount, parents before children */
    struct bgrun_plan_part paths;  /* struct bgrun_plan_path */
    struct bgrun_plan_part ports;  /* struct bgrun_plan_port */
    struct bgrun_plan_part limits; /* struct bgrun_plan_limit */
    struct bgrun_plan_part filter; /* struct sock_filter; 0 elements: no seccomp */
    struct bgrun_plan_part strings; /* bytes, the last one 0 */
    uint32_t executable;           /* bgrun-worker; this and all paths are offsets in `strings` */
    int32_t nice;
};

enum bgrun_plan_mount_kind {
    BGRUN_MOUNT_COVER, /* an empty tmpfs */
    BGRUN_MOUNT_SHOW,  /* what is at `path` before all mounts */
    BGRUN_MOUNT_PROC,  /* the processes of the new PID namespace, read-only */
    BGRUN_MOUNT_PTS,   /* terminals of the worker's own */
    BGRUN_MOUNT_EMPTY, /* /dev/null in the place of a file */
    BGRUN_MOUNT_LINK,  /* not a mount: a link to `target`, if nothing is at `path` */
};

/* `flags` of a mount. */
#define BGRUN_MOUNT_WRITABLE 1u
#define BGRUN_MOUNT_FILE 2u     /* not a directory */
#define BGRUN_MOUNT_OPTIONAL 4u /* may be missing */

struct bgrun_plan_mount {
    uint32_t kind;
    uint32_t flags;
    uint32_t path; /* absolute; without links, except for a LINK */
    uint32_t target;
    uint64_t size; /* the maximum bytes of a COVER */
};

struct bgrun_plan_path {
    uint64_t access; /* Landlock's rights, without those that are not handled */
    uint32_t path;
    uint32_t flags; /* BGRUN_MOUNT_OPTIONAL */
};

struct bgrun_plan_port {
    uint64_t access;
    uint64_t port;
};

struct bgrun_plan_limit {
    uint32_t resource; /* RLIMIT_... */
    uint32_t reserved;
    uint64_t value; /* soft and hard; of RLIMIT_CPU the hard one is higher */
};

/* What bgrun-init reports over descriptor 7, one datagram each. */
enum bgrun_init_kind {
    BGRUN_INIT_STARTED, /* with a pidfd of PID 1 of the new namespace: its end ends everything in it */
    BGRUN_INIT_READY,   /* with a pidfd of the worker, which is executed next */
    BGRUN_INIT_FAILED,  /* nothing of the plugin has run */
};

enum bgrun_init_step {
    BGRUN_STEP_PLAN,
    BGRUN_STEP_PARENT,
    BGRUN_STEP_NAMESPACES,
    BGRUN_STEP_USER_MAP,
    BGRUN_STEP_FORK,
    BGRUN_STEP_COPY,  /* `index`: of the mount */
    BGRUN_STEP_ROOT,
    BGRUN_STEP_MOUNT, /* `index`: of the mount */
    BGRUN_STEP_LIMIT, /* `index`: of the limit */
    BGRUN_STEP_CAPABILITIES,
    BGRUN_STEP_LANDLOCK,
    BGRUN_STEP_PATH, /* `index`: of the path */
    BGRUN_STEP_PORT, /* `index`: of the port */
    BGRUN_STEP_SECCOMP,
    BGRUN_STEP_EXECUTE,
};

struct bgrun_init_report {
    uint32_t kind;
    uint32_t step;
    uint32_t index;
    int32_t error; /* errno */
};

#endif
