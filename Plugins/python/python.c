/* SPDX-License-Identifier: Apache-2.0
 * python: a Python interpreter in the worker. `run` calls a function of a module that the
 * parameters name; runner.py has the Python half. One interpreter lives as long as the process. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* The text of runner.py, and a NUL. */
__asm__(".section .rodata\n"
        ".hidden runner_source\n"
        ".global runner_source\n"
        "runner_source:\n"
        ".incbin \"" RUNNER "\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char runner_source[];

const bgrun_host *host;
static PyObject *run_function; /* runner.run */

static void say(const char *what, const char *why) {
    char line[1024];
    snprintf(line, sizeof line, "python: %s: %s", what, why ? why : "no reason is known");
    host->log(host, NULL, BGRUN_LOG_ERROR, line);
}

/* Modules in C expect libpython's symbols to be global, as in the program python3; bgrun loads
 * plugins and their libraries with local symbols. */
static void show_libpython_to_modules(void) {
    Dl_info library;
    if (dladdr(&PyBaseObject_Type, &library) && library.dli_fname)
        dlopen(library.dli_fname, RTLD_LAZY | RTLD_GLOBAL | RTLD_NOLOAD);
}

static int start_interpreter(void) {
    PyPreConfig before;
    PyConfig config;
    PyPreConfig_InitPythonConfig(&before);
    before.utf8_mode = 1;
    before.configure_locale = 0; /* the process is shared with bgrun's code */
    PyStatus status = Py_PreInitialize(&before);
    if (PyStatus_Exception(status)) {
        say("the interpreter does not start", status.err_msg);
        return 0;
    }
    PyConfig_InitPythonConfig(&config);
    config.install_signal_handlers = 0;
    config.parse_argv = 0;
    /* Modules of this Python find the standard library by this path, independently of PATH. */
    status = PyConfig_SetBytesString(&config, &config.program_name, INTERPRETER);
    if (!PyStatus_Exception(status)) status = Py_InitializeFromConfig(&config);
    PyConfig_Clear(&config);
    if (PyStatus_Exception(status)) {
        say("the interpreter does not start", status.err_msg);
        return 0;
    }
    return 1;
}

static int load_runner(void) {
    PyObject *code = Py_CompileString(runner_source, "<bgrun>", Py_file_input);
    PyObject *runner = code ? PyImport_ExecCodeModule("bgrun", code) : NULL;
    run_function = runner ? PyObject_GetAttrString(runner, "run") : NULL;
    Py_XDECREF(code);
    Py_XDECREF(runner);
    if (!run_function) PyErr_Print();
    return run_function != NULL;
}

static const char *kind_name(uint32_t kind) {
    switch (kind) {
    case BGRUN_KIND_APP_REFRESH: return "app-refresh";
    case BGRUN_KIND_PROCESSING: return "processing";
    case BGRUN_KIND_PUSH: return "push";
    case BGRUN_KIND_CONTINUED: return "continued";
    case BGRUN_KIND_TRANSFER: return "transfer";
    default: return "other";
    }
}

static void launch(void *unused, bgrun_task *task, const bgrun_launch *launch) {
    (void)unused;
    begin_attempt(task);
    PyGILState_STATE held = PyGILState_Ensure();
    PyObject *handle = PyCapsule_New(task, TASK_CAPSULE, NULL);
    PyObject *result = handle ? PyObject_CallFunction(
        run_function, "OssIss", handle, launch->identifier, kind_name(launch->kind),
        launch->attempt, launch->manifest_directory, launch->parameters_json) : NULL;
    if (!result) PyErr_Print();
    Py_XDECREF(result);
    Py_XDECREF(handle);
    PyGILState_Release(held);
    /* runner.run reports on every path; this report is for a failure to run it. */
    if (!result) host->complete(task, 0, "the handler could not be run; its output says why");
}

/* Never blocks, so it does not wait for the interpreter. */
static void expire(void *unused, bgrun_task *task, const bgrun_expiration *expiration) {
    (void)unused;
    (void)task;
    note_expiration(expiration->reason_text);
}

static int32_t init(const bgrun_host *given) {
    const bgrun_handler run = {
        .struct_size = sizeof run, .name = "run", .launch = launch, .expire = expire};
    host = given;
    show_libpython_to_modules();
    if (!module_prepare() || !start_interpreter()) return BGRUN_E_UNAVAILABLE;
    int is_loaded = load_runner();
    PyEval_SaveThread();
    return is_loaded ? host->register_handler(host, &run) : BGRUN_E_UNAVAILABLE;
}

const bgrun_plugin *bgrun_plugin_entry(uint32_t host_abi_version) {
    static const bgrun_plugin plugin = {
        .struct_size = sizeof plugin,
        .abi_version = BGRUN_ABI_VERSION,
        .name = "python",
        .version = PY_VERSION, /* of Python */
        .init = init,
    };
    return host_abi_version >> 16 == BGRUN_ABI_MAJOR ? &plugin : NULL;
}
