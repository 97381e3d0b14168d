// SPDX-License-Identifier: Apache-2.0
/* Swift makes an object of a class it only knows at run time by a `required` init alone. NSObject's is
 * none on Linux, and Apple's runtime never asks for one: a delegate is written without it. So the init
 * is looked up as the compiler itself looks up an overridden one. */
#include "CNSObject.h"

#define SWIFT_CALL __attribute__((swiftcall))
#define SWIFT_SELF __attribute__((swift_context))

/* Foundation.NSObject: its type descriptor, and the method descriptor of its allocating init(). */
extern const char nsobject[] __asm__("$s10Foundation8NSObjectCMn");
extern const char nsobject_init[] __asm__("$s10Foundation8NSObjectCACycfCTq");

/* Of libswiftCore. */
extern void *swift_lookUpClassMethod(const void *type, const void *method, const void *descriptor);

typedef SWIFT_CALL void *(*allocating_init)(SWIFT_SELF const void *type);

void *cnsobject_new(const void *type) {
    allocating_init make =
        (allocating_init)swift_lookUpClassMethod(type, nsobject_init, nsobject);
    return make(type);
}
