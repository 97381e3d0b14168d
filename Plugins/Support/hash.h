/* SPDX-License-Identifier: Apache-2.0
 * hash.h - a short name for a text: the fingerprint of parameters, the name of a partial file. */
#ifndef BGRUN_SUPPORT_HASH_H
#define BGRUN_SUPPORT_HASH_H

#include <stdint.h>

/* FNV-1a: the same on every machine and in every version, because checkpoints hold it. */
uint64_t hash_text(const char *text);

#endif
