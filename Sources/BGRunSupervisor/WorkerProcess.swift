// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import BGRunProcess
import BGRunWire
import Glibc

/// One worker: its process and the four descriptors the host holds of it.
package final class WorkerProcess {
    package let key: WorkerKey
    package let pid: pid_t
    package let identity: ProcessIdentity
    package var launch: Outlet
    package var control: Outlet
    package let output: Int32
    package let error: Int32
    package var frames = FrameBuffer()
    var outputLines: LineSplitter
    var errorLines: LineSplitter
    var work: RunningWork?
    /// Its plugin's init has returned; without a plugin, from the start.
    var hasLoaded: Bool
    /// How the process ended; it may have left others behind.
    var death: RunningWork.Death?
    /// SIGTERM was sent to everything: what it left behind has until SIGKILL.
    var isTerminating = false
    var isStopped = false
    /// Of the supervisor, when it was started.
    var generation = 0
    /// When it became idle, on the elapsed clock.
    var idleSince: Int64 = 0

    init(
        key: WorkerKey, pid: pid_t, identity: ProcessIdentity, launch: Int32, control: Int32,
        output: Int32, error: Int32, lineLimit: Int
    ) {
        self.key = key
        hasLoaded = key.plugin == nil
        self.pid = pid
        self.identity = identity
        self.launch = Outlet(launch)
        self.control = Outlet(control)
        self.output = output
        self.error = error
        outputLines = LineSplitter(limit: lineLimit)
        errorLines = LineSplitter(limit: lineLimit)
    }

    deinit {
        launch.closePassing()
        for descriptor in descriptors { close(descriptor) }
    }

    var descriptors: [Int32] { [launch.descriptor, control.descriptor, output, error] }

    /// Suspends it: between attempts a worker burns no time.
    func suspend() {
        kill(pid, SIGSTOP)
        isStopped = true
    }

    func resume() {
        guard isStopped else { return }
        kill(pid, SIGCONT)
        isStopped = false
    }

    /// Sends `signal`, once, to the process and to everything it started: as a child subreaper it
    /// keeps all of that below it.
    func signalEverything(_ signal: Int32) {
        // A stopped process takes a signal when it goes on.
        for number in [signal, SIGCONT] {
            ProcessTree.signal(number, below: pid)
            kill(pid, number)
        }
    }

    /// Kills the process and everything it started. What it started while this was going on
    /// becomes the host's child and is found there.
    package func killEverything() {
        kill(pid, SIGSTOP)
        ProcessTree.killAll(below: pid)
        kill(pid, SIGKILL)
    }
}
