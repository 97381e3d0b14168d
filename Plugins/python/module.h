/* SPDX-License-Identifier: Apache-2.0
 * module.h - the module _bgrun: the functions of the host for runner.py. */
#ifndef MODULE_H
#define MODULE_H

#include <Python.h>

#include "bgrun_plugin.h"

#define TASK_CAPSULE "bgrun_task"

extern const bgrun_host *host;

bgrun_task *task_of(PyObject *handle);
/* None, or an exception with the refused call and the reason. */
PyObject *none_or_error(const char *what, int32_t code);

/* Functions of the module. */
PyObject *create_transfer(PyObject *self, PyObject *arguments);
PyObject *list_transfers(PyObject *self, PyObject *arguments);
PyObject *take_transfers(PyObject *self, PyObject *arguments);
PyObject *change_transfer(PyObject *self, PyObject *arguments);
PyObject *cancel_resumable(PyObject *self, PyObject *arguments);
PyObject *list_pushes(PyObject *self, PyObject *handle);
PyObject *complete_push(PyObject *self, PyObject *arguments);

/* Creates the objects needed before the interpreter starts; 0 on failure. */
int module_prepare(void);
/* Clears the expiration of the previous attempt, unless this one has expired already. */
void begin_attempt(bgrun_task *task);
/* Wakes threads that wait for the expiration. Thread-safe; does not block. */
void note_expiration(const char *reason);

#endif
