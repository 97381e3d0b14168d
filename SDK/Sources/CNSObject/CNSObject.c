// SPDX-License-Identifier: Apache-2.0
/* Swift creates an object of a dynamic class only by a `required` init. NSObject's is not required
 * on Linux, and delegates do not declare one, because Apple's runtime does not need it. So this code
 * looks the init up, as the compiler does for an overridden one. */
#include "CNSObject.h"

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

/* Foundation.NSObject: its type descriptor, and the method descriptor of its allocating init(). */
extern const char nsobject[] __asm__("$s10Foundation8NSObjectCMn");
extern const char nsobject_init[] __asm__("$s10Foundation8NSObjectCACycfCTq");

/* A function of libswiftCore. */
extern void *swift_lookUpClassMethod(const void *type, const void *method, const void *descriptor);

typedef SWIFT_CALL void *(*allocating_init)(SWIFT_SELF const void *type);

void *cnsobject_new(const void *type) {
    allocating_init make =
        (allocating_init)swift_lookUpClassMethod(type, nsobject_init, nsobject);
    return make(type);
}
