/* SPDX-License-Identifier: Apache-2.0
 * transfers.c - the part of _bgrun for transfers and pushes. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "module.h"

static const bgrun_transfer_ext *transfers(void) {
    return host->get_extension(host, BGRUN_EXT_TRANSFER);
}

static const bgrun_push_ext *pushes(void) { return host->get_extension(host, BGRUN_EXT_PUSH); }

PyObject *create_transfer(PyObject *self, PyObject *arguments) {
    bgrun_transfer_request request = {.struct_size = sizeof request};
    PyObject *handle;
    long long delay, rate;
    Py_ssize_t size;
    int64_t id = 0;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OIszzzzzzLLz#", &handle, &request.flags, &request.session,
                          &request.url, &request.method, &request.headers_json, &request.file,
                          &request.sha256, &request.description, &delay, &rate,
                          &request.resume_data, &size))
        return NULL;
    request.earliest_delay_ns = delay;
    request.rate = rate;
    request.resume_size = request.resume_data ? (uint64_t)size : 0;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (transfers()) {
        Py_BEGIN_ALLOW_THREADS
        code = transfers()->create(task, &request, &id);
        Py_END_ALLOW_THREADS
    }
    return code == BGRUN_OK ? PyLong_FromLongLong(id) : none_or_error("transfer", code);
}

/* The keyword arguments of runner.Transfer. */
static PyObject *dictionary_of(const bgrun_transfer *transfer) {
    return Py_BuildValue(
        "{s:L,s:I,s:I,s:i,s:z,s:i,s:s,s:s,s:z,s:z,s:z,s:L,s:L,s:L,s:L}", "id",
        (long long)transfer->id, "state", transfer->state, "flags", transfer->flags, "error",
        transfer->error, "error_text", transfer->error_text, "status", transfer->status, "session",
        transfer->session, "url", transfer->url, "note", transfer->description, "file",
        transfer->file, "headers", transfer->response_headers_json, "received",
        (long long)transfer->received, "expected_receive", (long long)transfer->expected_receive,
        "sent", (long long)transfer->sent, "expected_send", (long long)transfer->expected_send);
}

/* Appends a value to a list and releases it; a failure remains as Python's error. */
static void append(PyObject *list, PyObject *value) {
    if (value && !PyErr_Occurred()) PyList_Append(list, value);
    Py_XDECREF(value);
}

static void add_transfer(void *list, const bgrun_transfer *transfer) {
    PyGILState_STATE state = PyGILState_Ensure();
    append(list, dictionary_of(transfer));
    PyGILState_Release(state);
}

/* The list, or an exception. */
static PyObject *list_or_error(const char *what, PyObject *list, int32_t code) {
    if (code == BGRUN_OK && !PyErr_Occurred()) return list;
    Py_DECREF(list);
    return PyErr_Occurred() ? NULL : none_or_error(what, code);
}

PyObject *list_transfers(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    const char *session;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Oz", &handle, &session)) return NULL;
    bgrun_task *task = task_of(handle);
    PyObject *list = task ? PyList_New(0) : NULL;
    if (!list) return NULL;
    if (transfers()) {
        Py_BEGIN_ALLOW_THREADS
        code = transfers()->visit(task, session, list, add_transfer);
        Py_END_ALLOW_THREADS
    }
    return list_or_error("transfers", list, code);
}

/* Calls the function; if it raises, the transfer stays unacknowledged. */
static int32_t call(void *function, const bgrun_transfer *transfer) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *given = dictionary_of(transfer);
    PyObject *result = given ? PyObject_CallOneArg(function, given) : NULL;
    Py_XDECREF(given);
    Py_XDECREF(result);
    PyGILState_Release(state);
    return result ? BGRUN_OK : BGRUN_E_INVALID;
}

PyObject *take_transfers(PyObject *self, PyObject *arguments) {
    PyObject *handle, *function;
    const char *session;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OzO", &handle, &session, &function)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (transfers()) {
        Py_BEGIN_ALLOW_THREADS
        code = transfers()->events(task, session, function, call);
        Py_END_ALLOW_THREADS
    }
    return PyErr_Occurred() ? NULL : none_or_error("take_transfers", code);
}

PyObject *change_transfer(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    const char *what;
    long long id;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OsL", &handle, &what, &id)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (transfers()) {
        Py_BEGIN_ALLOW_THREADS
        code = what[0] == 'r'   ? transfers()->resume(task, id)
               : what[0] == 's' ? transfers()->suspend(task, id)
                                : transfers()->cancel(task, id);
        Py_END_ALLOW_THREADS
    }
    return none_or_error(what, code);
}

static void add_bytes(void *list, const void *data, uint64_t size) {
    PyGILState_STATE state = PyGILState_Ensure();
    append(list, PyBytes_FromStringAndSize(data, (Py_ssize_t)size));
    PyGILState_Release(state);
}

/* A list of at most one item: the data that a later request continues with. */
PyObject *cancel_resumable(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    long long id;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OL", &handle, &id)) return NULL;
    bgrun_task *task = task_of(handle);
    PyObject *list = task ? PyList_New(0) : NULL;
    if (!list) return NULL;
    if (transfers()) {
        Py_BEGIN_ALLOW_THREADS
        code = transfers()->cancel_resumable(task, id, list, add_bytes);
        Py_END_ALLOW_THREADS
    }
    return list_or_error("cancel", list, code);
}

static void add_message(void *list, const bgrun_push_message *message) {
    PyGILState_STATE state = PyGILState_Ensure();
    append(list, PyUnicode_FromString(message->payload_json));
    PyGILState_Release(state);
}

/* None on a host without the extension. */
PyObject *list_pushes(PyObject *self, PyObject *handle) {
    int32_t code;
    (void)self;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (!pushes()) Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    if (!list) return NULL;
    Py_BEGIN_ALLOW_THREADS
    code = pushes()->messages(task, list, add_message);
    Py_END_ALLOW_THREADS
    return list_or_error("pushes", list, code);
}

/* Whether the host took the result. */
PyObject *complete_push(PyObject *self, PyObject *arguments) {
    PyObject *handle;
    unsigned result;
    int32_t code = BGRUN_E_UNAVAILABLE;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OI", &handle, &result)) return NULL;
    bgrun_task *task = task_of(handle);
    if (!task) return NULL;
    if (pushes()) {
        Py_BEGIN_ALLOW_THREADS
        code = pushes()->complete(task, result);
        Py_END_ALLOW_THREADS
    }
    return PyBool_FromLong(code == BGRUN_OK);
}
