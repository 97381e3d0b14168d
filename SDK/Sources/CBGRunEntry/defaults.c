/* SPDX-License-Identifier: Apache-2.0 */
#include "bgrun_entry.h"

/* CoreFoundation, as in bundle.c. One call synchronizes the domains of all suites. */
extern unsigned char CFPreferencesAppSynchronize(const void *application) __attribute__((weak));
extern const void *const kCFPreferencesCurrentApplication __attribute__((weak));

void bgrun_synchronize_defaults(void) {
    if (CFPreferencesAppSynchronize && &kCFPreferencesCurrentApplication)
        CFPreferencesAppSynchronize(kCFPreferencesCurrentApplication);
}
