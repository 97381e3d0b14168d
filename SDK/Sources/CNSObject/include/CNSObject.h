// SPDX-License-Identifier: Apache-2.0
#ifndef CNSOBJECT_H
#define CNSOBJECT_H

/* A new object of `type`, the metadata of a Swift class derived from Foundation's NSObject, created by
 * the init() that the class has or inherits. The caller owns it. */
void *cnsobject_new(const void *type);

#endif
