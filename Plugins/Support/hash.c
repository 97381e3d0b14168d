/* SPDX-License-Identifier: Apache-2.0 */
#include "hash.h"

uint64_t hash_text(const char *text) {
    uint64_t value = 14695981039346656037u;
    for (; *text; text++) value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value;
}
