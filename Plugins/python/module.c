/* SPDX-License-Identifier: Apache-2.0 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "module.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int wake_fd = -1; /* readable once the time is revoked */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char reason[128]; /* under the lock */

static void wake(void) {
    /* Fails only if it was already written to. */
    if (eventfd_write(wake_fd, 1) < 0) return;
}

void note_expiration(const char *text) {
    pthread_mutex_lock(&lock);
    snprintf(reason, sizeof reason, "%s", text);
    pthread_mutex_unlock(&lock);
    wake();
}

void begin_attempt(bgrun_task *task) {
    eventfd_t ignored;
    pthread_mutex_lock(&lock);
    /* Usually there is nothing to read. */
    if (eventfd_read(wake_fd, &ignored) < 0 || !host->is_expired(task)) reason[0] = 0;
    pthread_mutex_unlock(&lock);
    if (host->is_expired(task)) wake();
}

bgrun_task *task_of(PyObject *handle) { return PyCapsule_GetPointer(handle, TASK_CAPSULE); }

static const char *meaning(int32_t code) {
    switch (code) {
    case BGRUN_E_INVALID: return "an argument is not valid";
    case BGRUN_E_STATE: return "the attempt has ended";
    case BGRUN_E_TOO_LARGE: return "it is too large";
    case BGRUN_E_NOT_FOUND: return "it does not exist";
    case BGRUN_E_UNAVAILABLE: return "the host cannot do it now";
    case BGRUN_E_IO: return "the host could not store it";
    case BGRUN_E_TOO_MANY_PENDING: return "too many requests are pending";
    case BGRUN_E_NOT_IMMEDIATELY: return "it cannot be run at once";
    case BGRUN_E_NOT_PERMITTED: return "the manifest does not permit the identifier";
    default: return "the host refused";
    }
}

PyObject *none_or_error(const char *what, int32_t code) {
    if (code == BGRUN_OK) Py_RETURN_NONE;
    return PyErr_Format(PyExc_RuntimeError, "%s: %s", what, meaning(code));
}

static PyObject *complete(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    int success;
    const char *message;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Ops", &handle, &success, &message)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    host->complete(task, success, message); /* BGRUN_E_STATE: something was reported before */
    Py_RETURN_NONE;
}

static PyObject *is_expired(PyObject *self, PyObject *handle) {
    (void)self;
    bgrun_task *task = task_of(handle);
    return task ? PyBool_FromLong(host->is_expired(task)) : NULL;
}

static PyObject *should_defer(PyObject *self, PyObject *handle) {
    (void)self;
    bgrun_task *task = task_of(handle);
    return task ? PyBool_FromLong(host->should_defer(task)) : NULL;
}

static PyObject *expiration_reason(PyObject *self, PyObject *unused) {
    char copy[sizeof reason];
    (void)self;
    (void)unused;
    pthread_mutex_lock(&lock);
    snprintf(copy, sizeof copy, "%s", reason);
    pthread_mutex_unlock(&lock);
    return PyUnicode_FromString(copy);
}

static PyObject *wake_descriptor(PyObject *self, PyObject *unused) {
    (void)self;
    (void)unused;
    return PyLong_FromLong(wake_fd);
}

static PyObject *progress(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    long long completed, total;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OLL", &handle, &completed, &total)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    int32_t code = host->set_progress(task, completed, total);
    return none_or_error("progress", code == BGRUN_E_STATE ? BGRUN_OK : code);
}

static PyObject *title(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    const char *title, *subtitle;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Ozz", &handle, &title, &subtitle)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    host->set_title(task, title, subtitle);
    Py_RETURN_NONE;
}

static PyObject *write_log(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    unsigned level;
    const char *message;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OIs", &handle, &level, &message)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    Py_BEGIN_ALLOW_THREADS
    host->log(host, task, level, message);
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *get_checkpoint(PyObject *self, PyObject *handle) {
    const bgrun_checkpoint_ext *store = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    uint64_t size = 0;
    uint32_t version = 0;
    (void)self;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (!store || store->get(task, NULL, 0, &size, &version) != BGRUN_OK) Py_RETURN_NONE;
    PyObject *data = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (!data) return NULL;
    if (store->get(task, PyBytes_AS_STRING(data), size, &size, &version) != BGRUN_OK ||
        size != (uint64_t)PyBytes_GET_SIZE(data)) {
        Py_DECREF(data);
        Py_RETURN_NONE;
    }
    return Py_BuildValue("(IN)", version, data);
}

static PyObject *put_checkpoint(PyObject *self, PyObject *arguments) {
    const bgrun_checkpoint_ext *store = host->get_extension(host, BGRUN_EXT_CHECKPOINT);
    PyObject *handle;
    unsigned version;
    const char *data;
    Py_ssize_t size;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OIy#", &handle, &version, &data, &size)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (store) {
        Py_BEGIN_ALLOW_THREADS
        code = store->put(task, version, data, (uint64_t)size);
        Py_END_ALLOW_THREADS
    }
    return none_or_error("save", code);
}

static PyObject *submit(PyObject *self, PyObject *arguments) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    bgrun_request request = {.struct_size = sizeof request};
    PyObject *handle;
    long long delay;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OsLz", &handle, &request.identifier, &delay,
                          &request.parameters_json))
        return NULL;
    request.earliest_delay_ns = delay;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (scheduler) {
        Py_BEGIN_ALLOW_THREADS
        code = scheduler->submit(task, &request);
        Py_END_ALLOW_THREADS
    }
    if (code == BGRUN_E_NOT_FOUND)
        return PyErr_Format(PyExc_RuntimeError,
                            "submit: no task of the app has the identifier %s", request.identifier);
    return none_or_error("submit", code);
}

static PyObject *cancel(PyObject *self, PyObject *arguments) {
    const bgrun_scheduler_ext *scheduler = host->get_extension(host, BGRUN_EXT_SCHEDULER);
    PyObject *handle;
    const char *identifier;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os", &handle, &identifier)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (scheduler) {
        Py_BEGIN_ALLOW_THREADS
        code = scheduler->cancel(task, identifier);
        Py_END_ALLOW_THREADS
    }
    if (code == BGRUN_E_NOT_FOUND) Py_RETURN_FALSE;
    if (code != BGRUN_OK) return none_or_error("cancel", code);
    Py_RETURN_TRUE;
}

static PyObject *time_remaining(PyObject *self, PyObject *handle) {
    const bgrun_assertion_ext *assertion = host->get_extension(host, BGRUN_EXT_ASSERTION);
    (void)self;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    int64_t left = assertion ? assertion->time_remaining(task) : INT64_MAX;
    if (left == INT64_MAX) Py_RETURN_NONE;
    return PyFloat_FromDouble((double)left / 1e9);
}

static PyMethodDef functions[] = {
    {"complete", complete, METH_VARARGS, NULL},
    {"is_expired", is_expired, METH_O, NULL},
    {"should_defer", should_defer, METH_O, NULL},
    {"expiration_reason", expiration_reason, METH_NOARGS, NULL},
    {"wake_descriptor", wake_descriptor, METH_NOARGS, NULL},
    {"progress", progress, METH_VARARGS, NULL},
    {"title", title, METH_VARARGS, NULL},
    {"log", write_log, METH_VARARGS, NULL},
    {"get_checkpoint", get_checkpoint, METH_O, NULL},
    {"put_checkpoint", put_checkpoint, METH_VARARGS, NULL},
    {"submit", submit, METH_VARARGS, NULL},
    {"cancel", cancel, METH_VARARGS, NULL},
    {"time_remaining", time_remaining, METH_O, NULL},
    {"create_transfer", create_transfer, METH_VARARGS, NULL},
    {"list_transfers", list_transfers, METH_VARARGS, NULL},
    {"take_transfers", take_transfers, METH_VARARGS, NULL},
    {"change_transfer", change_transfer, METH_VARARGS, NULL},
    {"cancel_resumable", cancel_resumable, METH_VARARGS, NULL},
    {"list_pushes", list_pushes, METH_O, NULL},
    {"complete_push", complete_push, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyObject *module_create(void) {
    static PyModuleDef module = {
        .m_base = PyModuleDef_HEAD_INIT, .m_name = "_bgrun", .m_size = -1, .m_methods = functions};
    return PyModule_Create(&module);
}

int module_prepare(void) {
    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake_fd >= 0 && PyImport_AppendInittab("_bgrun", module_create) == 0;
}
