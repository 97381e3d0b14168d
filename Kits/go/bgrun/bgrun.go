// SPDX-License-Identifier: Apache-2.0 OR 0BSD

// Package bgrun makes a library built with -buildmode=c-shared a plugin of bgrun.
package bgrun

/*
#cgo pkg-config: bgrun
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
	"unsafe"
)

// A Handler runs one attempt and ends it by returning: with success and a message, or as failed. A
// panic is a failure too. The context is cancelled when the time is revoked: stop, save, return an
// error.
//
// Goroutines that it starts must have ended when it returns; a goroutine that continues is suspended
// with the process.
type Handler func(ctx context.Context, task *Task) (message string, err error)

var plugin struct {
	name, version string
	handlers      map[string]Handler
}

// Register describes the plugin. Call it once, from an init function.
func Register(name, version string, handlers map[string]Handler) {
	plugin.name, plugin.version, plugin.handlers = name, version, handlers
}

// Task is one attempt. Its methods may be called by any goroutine.
type Task struct {
	// Identifier of the task, as in the manifest.
	Identifier string
	// Attempt is 1 for the first attempt of a request.
	Attempt int
	// ManifestDirectory is absolute; relative paths in parameters start here.
	ManifestDirectory string

	parameters []byte
	handle     *C.bgrun_task
}

// Parameters decodes the parameters of the manifest, a JSON object.
func (t *Task) Parameters(into any) error {
	if err := json.Unmarshal(t.parameters, into); err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	return nil
}

// ShouldDefer reports whether bgrun would like the work to stop at the next good place.
func (t *Task) ShouldDefer() bool { return C.shim_should_defer(t.handle) != 0 }

// Progress reports progress in any unit; a total of 0 means unknown.
func (t *Task) Progress(completed, total int64) {
	C.shim_progress(t.handle, C.int64_t(completed), C.int64_t(total))
}

// Title sets the title beside the progress.
func (t *Task) Title(title string) {
	withCString(title, func(text *C.char) { C.shim_title(t.handle, text) })
}

// Logf writes a line to the log of the host.
func (t *Task) Logf(format string, values ...any) {
	withCString(fmt.Sprintf(format, values...), func(text *C.char) {
		C.shim_log(t.handle, C.BGRUN_LOG_INFO, text)
	})
}

// Checkpoint decodes the checkpoint if it exists with this version, and reports whether it did.
func (t *Task) Checkpoint(version uint32, into any) bool {
	var size C.uint64_t
	var stored C.uint32_t
	if C.shim_get(t.handle, nil, 0, &size, &stored) != C.BGRUN_OK || uint32(stored) != version {
		return false
	}
	data := make([]byte, size+1) // so that it has an address
	if C.shim_get(t.handle, unsafe.Pointer(&data[0]), size, &size, &stored) != C.BGRUN_OK {
		return false
	}
	return json.Unmarshal(data[:size], into) == nil
}

// Save replaces the checkpoint atomically, and returns when it is on disk. Raise the
// version when the type of the value changes.
func (t *Task) Save(version uint32, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	size := C.uint64_t(len(data))
	code := C.shim_put(t.handle, C.uint32_t(version), unsafe.Pointer(&data[0]), size)
	if code != C.BGRUN_OK {
		return fmt.Errorf("the checkpoint could not be stored (%d)", code)
	}
	return nil
}

func (t *Task) complete(success C.int32_t, message string) {
	withCString(message, func(text *C.char) { C.shim_complete(t.handle, success, text) })
}

// The running attempt.
var current struct {
	sync.Mutex
	handle *C.bgrun_task
	cancel context.CancelFunc
}

// Opens the descriptors of Go's timers before bgrun counts the descriptors that an attempt leaves.
func init() { time.NewTimer(time.Hour).Stop() }

//export bgrunDescribe
func bgrunDescribe() {
	C.shim_plugin.name = C.CString(plugin.name)
	C.shim_plugin.version = C.CString(plugin.version)
}

//export bgrunInit
func bgrunInit() C.int32_t {
	for name := range plugin.handlers {
		if code := C.shim_register(C.CString(name)); code != C.BGRUN_OK {
			return code
		}
	}
	return C.BGRUN_OK
}

//export bgrunLaunch
func bgrunLaunch(name *C.char, handle *C.bgrun_task, launch *C.bgrun_launch) {
	task := &Task{
		Identifier:        C.GoString(launch.identifier),
		Attempt:           int(launch.attempt),
		ManifestDirectory: C.GoString(launch.manifest_directory),
		parameters:        []byte(C.GoString(launch.parameters_json)),
		handle:            handle,
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	current.Lock()
	current.handle, current.cancel = handle, cancel
	current.Unlock()
	// The time may have been revoked before the context existed.
	if C.shim_is_expired(handle) != 0 {
		cancel()
	}
	defer func() {
		if cause := recover(); cause != nil {
			debug.PrintStack()
			task.complete(0, fmt.Sprint("panic: ", cause))
		}
	}()
	message, err := plugin.handlers[C.GoString(name)](ctx, task)
	if err != nil {
		task.complete(0, err.Error())
	} else {
		task.complete(1, message)
	}
}

//export bgrunExpire
func bgrunExpire(handle *C.bgrun_task) {
	current.Lock()
	defer current.Unlock()
	if current.handle == handle {
		current.cancel()
	}
}

func withCString(text string, body func(*C.char)) {
	copied := C.CString(text)
	defer C.free(unsafe.Pointer(copied))
	body(copied)
}
