/* SPDX-License-Identifier: Apache-2.0
 * module.h - the module _bgrun: what runner.py asks of the host. */
#ifndef MODULE_H
#define MODULE_H

#include <Python.h>

#include "bgrun_plugin.h"

#define TASK_CAPSULE "bgrun_task"

extern const bgrun_host *host;

bgrun_task *task_of(PyObject *handle);
/* None, or an exception that says what was refused and why. */
PyObject *none_or_error(const char *what, int32_t code);

/* Functions of the module. */
PyObject *create_transfer(PyObject *self, PyObject *arguments);
PyObject *list_transfers(PyObject *self, PyObject *arguments);
PyObject *take_transfers(PyObject *self, PyObject *arguments);
PyObject *change_transfer(PyObject *self, PyObject *arguments);
PyObject *cancel_resumable(PyObject *self, PyObject *arguments);
PyObject *list_pushes(PyObject *self, PyObject *handle);
PyObject *complete_push(PyObject *self, PyObject *arguments);

/* Makes what is needed before the interpreter starts; 0 when it cannot. */
int module_prepare(void);
/* Forgets the expiration of the attempt before, if this one has none yet. */
void begin_attempt(bgrun_task *task);
/* Wakes whoever waits for the expiration. Any thread; does not block. */
void note_expiration(const char *reason);

#endif
