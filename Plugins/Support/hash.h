/* SPDX-License-Identifier: Apache-2.0
 * hash.h - hashes a text: for the fingerprint of parameters, or the name of a partial file. */
#ifndef BGRUN_SUPPORT_HASH_H
#define BGRUN_SUPPORT_HASH_H

#include <stdint.h>

/* FNV-1a: the same on every machine and in every version, because checkpoints contain it. */
uint64_t hash_text(const char *text);

#endif
