/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <ffi.h>
#include <stdint.h>

/* libffi describes C's types by mutable globals, which strict concurrency does not permit. */
static inline ffi_type *bgrun_ffi_void(void) { return &ffi_type_void; }
static inline ffi_type *bgrun_ffi_i8(void) { return &ffi_type_sint8; }
static inline ffi_type *bgrun_ffi_u8(void) { return &ffi_type_uint8; }
static inline ffi_type *bgrun_ffi_i16(void) { return &ffi_type_sint16; }
static inline ffi_type *bgrun_ffi_u16(void) { return &ffi_type_uint16; }
static inline ffi_type *bgrun_ffi_i32(void) { return &ffi_type_sint32; }
static inline ffi_type *bgrun_ffi_u32(void) { return &ffi_type_uint32; }
static inline ffi_type *bgrun_ffi_i64(void) { return &ffi_type_sint64; }
static inline ffi_type *bgrun_ffi_u64(void) { return &ffi_type_uint64; }
static inline ffi_type *bgrun_ffi_f32(void) { return &ffi_type_float; }
static inline ffi_type *bgrun_ffi_f64(void) { return &ffi_type_double; }
static inline ffi_type *bgrun_ffi_pointer(void) { return &ffi_type_pointer; }

/* Calls `function` and returns the errno it set, or 0. In C, because the Swift runtime may change
 * errno before it is read. */
static inline int bgrun_ffi_call(ffi_cif *cif, void *function, void *result, void **arguments) {
    errno = 0;
    ffi_call(cif, (void (*)(void))(intptr_t)function, result, arguments);
    return errno;
}
