/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BGRUN_EXT_REGISTRATION_H
#define BGRUN_EXT_REGISTRATION_H

#include "../core.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- extension bgrun.registration/1 -------------------------------------- */

#define BGRUN_EXT_REGISTRATION "bgrun.registration/1"

/* since ABI 1.4. The tasks that a handler of `handler: plugin` covers. Owned by the caller, valid
 * until registered returns. */
typedef struct bgrun_registration {
    uint32_t struct_size;
    uint32_t kind;                 /* BGRUN_KIND_... of the tasks; 0: unknown */
    const char *identifier;        /* or a pattern that ends in `.*`; NULL: every task of `kind`
                                    * that no other registration covers */
    int64_t earliest_delay_ns;     /* of the submitted request; -1: none */
    uint32_t requires;             /* BGRUN_REQUIRES_... of that request, or 0 */
    uint32_t reserved;             /* zero */
} bgrun_registration;

/* since ABI 1.4. Owned by the host, constant, valid until the process ends. For plugins
 * that dispatch by bgrun_launch.identifier, of which the host otherwise knows only the
 * handler `default`: a plugin that requests this extension in init but registers nothing does
 * not have a handler for any task. */
typedef struct bgrun_registration_ext {
    uint32_t struct_size;
    uint32_t reserved;

    /* Informs the host, `bgrun lint` and `bgrun import` that the plugin has a handler for these
     * tasks. A registration after init applies only to this process: requests of kind `continued`
     * with its identifier are launched in it, after the running attempt. BGRUN_E_INVALID without
     * identifier and kind, and for an identifier over 256 bytes. Does not block. [any-thread] */
    int32_t (*registered)(const bgrun_host *host, const bgrun_registration *registration);
} bgrun_registration_ext;

#ifdef __cplusplus
}
#endif

#endif /* BGRUN_EXT_REGISTRATION_H */
