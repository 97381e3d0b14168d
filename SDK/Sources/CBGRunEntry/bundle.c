/* SPDX-License-Identifier: Apache-2.0 */
#include "bgrun_entry.h"

#include <stdint.h>

/* CoreFoundation, which is part of Foundation's library on Linux, without a module. Weak: without it,
 * the main bundle does not exist. */
#define WEAK __attribute__((weak))
#define UTF8 0x08000100u

extern const void *CFBundleGetMainBundle(void) WEAK;
extern void *CFBundleGetInfoDictionary(const void *bundle) WEAK;
extern const void *CFStringCreateWithCString(const void *allocator, const char *text,
                                             uint32_t encoding) WEAK;
extern void CFDictionarySetValue(void *dictionary, const void *key, const void *value) WEAK;
extern void CFRelease(const void *object) WEAK;
extern const void *const kCFBundleIdentifierKey WEAK;

void bgrun_set_bundle_identifier(const char *identifier) {
    if (!CFBundleGetMainBundle || !CFBundleGetInfoDictionary || !CFStringCreateWithCString ||
        !CFDictionarySetValue || !CFRelease || !&kCFBundleIdentifierKey)
        return;
    const void *bundle = CFBundleGetMainBundle();
    void *information = bundle ? CFBundleGetInfoDictionary(bundle) : 0;
    const void *text = CFStringCreateWithCString(0, identifier, UTF8);
    if (information && text) CFDictionarySetValue(information, kCFBundleIdentifierKey, text);
    if (text) CFRelease(text);
}
