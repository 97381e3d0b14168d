// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import Glibc

/// The interface of a host to its supervisor of attempts: `Supervisor`, or a simulated one.
/// Belongs to the loop's thread.
package protocol AttemptSupervisor: AnyObject {
    /// Checks a plugin's file and opens it; called once for each started worker.
    var image: (_ plugin: String) -> Result<PluginImage, PluginRefusal> { get set }
    /// Called on the loop's thread; never from within a call to the supervisor.
    var onNotice: (AttemptNotice) -> Void { get set }
    /// Knows which pending requests need the handlers of a worker, which is then kept; held weakly.
    var pendingHandlers: (any PendingHandlers)? { get set }

    /// Exempts a child that no attempt has started from killing, until it has ended.
    func addHelper(_ pid: Int32, ended: @escaping (_ status: Int32) -> Void)
    /// Does the same for all children of the process: they existed before it executed bgrun.
    func spareChildren()
    /// Finds or starts the worker for an attempt and returns its process, so that it can be stored before the handler
    /// is entered.
    func prepare(_ work: Work) -> Preparation
    /// Enters the handler of a prepared attempt, or reports why it has no handler.
    /// - Parameter deadlineElapsed: When its time runs out; nil: as in the prepared work.
    func launch(_ attempt: Int64, deadlineElapsed: Int64?)
    /// A prepared attempt is not launched: its worker ends.
    func withdraw(_ attempt: Int64)
    /// Tells the handler that its time is revoked.
    func expire(_ attempt: Int64, _ reason: StopReason, grace: Interval, deadlineElapsed: Int64)
    /// Sends SIGTERM to everything the attempt started.
    func terminate(_ attempt: Int64)
    /// Sends SIGKILL to everything the attempt started.
    func kill(_ attempt: Int64)
    /// Sends the current device readings to the workers that run attempts.
    func tell(_ device: HostMessage.Device)
    /// Stops or resumes reading the output of attempts with ids above 0: their handlers block in `write`.
    func holdOutput(_ isHeld: Bool)
    /// Sets the limits, plugins and facts of the app that apply from now on.
    func change(_ limits: SupervisorLimits, app: HostMessage.App)
    /// Whether a worker waits for another attempt, or was told to end and has not exited yet.
    var hasWarmWorkers: Bool { get }
    /// Whether a worker, or a process started by one, may be alive.
    var hasWorkers: Bool { get }
    /// The handlers of the plugin of a running attempt.
    func plugin(of attempt: Int64) -> AttemptPlugin
    /// The place of the handler of a continued task whose workers have that key.
    func handlerPlace(of identifier: String, _ key: WorkerKey) -> HandlerPlace
    /// Requests for which workers were kept may have ended.
    func pendingRequestsChanged()
    /// Ends every warm worker; `done` is called when they have exited, or on timeout.
    func retireWarmWorkers(_ done: @escaping () -> Void)
    /// Whether the program at the other end of a socket is, or may be, a process of a confined attempt.
    func isConfined(_ peer: PeerCredentials) -> Bool
    /// Call it on SIGCHLD.
    func childrenEnded()
}

/// Defaults for a supervisor whose workers register nothing.
extension AttemptSupervisor {
    package func launch(_ attempt: Int64) { launch(attempt, deadlineElapsed: nil) }

    package func addHelper(_ pid: Int32) { addHelper(pid) { _ in } }

    package func spareChildren() {}

    package func isConfined(_ peer: PeerCredentials) -> Bool { false }

    /// For a supervisor whose workers are all warm when no attempt runs.
    package var hasWorkers: Bool { hasWarmWorkers }

    package var pendingHandlers: (any PendingHandlers)? {
        get { nil }
        set {}
    }

    package func pendingRequestsChanged() {}

    package func handlerPlace(of identifier: String, _ key: WorkerKey) -> HandlerPlace {
        .available
    }
}

/// The pending requests of continued tasks, for the supervisor of their attempts.
package protocol PendingHandlers: AnyObject {
    /// Whether `identifier` belongs to a task whose workers have that key, and is pending.
    func isPending(_ identifier: String, _ key: WorkerKey) -> Bool
    /// A pending identifier that `matches`, of a task whose workers have that key; any if too many are pending to
    /// search.
    func firstPending(_ key: WorkerKey, where matches: (String) -> Bool) -> String?
}

/// The place of a continued task's handler, which a plugin may register while it runs.
package enum HandlerPlace: Equatable, Sendable {
    /// In an idle worker, or in every worker as far as is known.
    case available
    /// Only in workers that run another attempt first, such as this one.
    case busy(attempt: Int64)
    /// It was registered after the init of workers that have ended or are ending.
    case lost
    /// It was registered after the init of workers of tasks with another environment.
    case otherEnvironment
}

/// The result of preparing an attempt.
package enum Preparation: Equatable, Sendable {
    /// Its worker; `launch` enters the handler.
    case ready(ProcessIdentity)
    /// Its plugin cannot be used; `launch` ends the attempt, with the reason.
    case refused
    /// No worker can be started now, and nothing is prepared: the launch may be retried.
    case short(Resource)
}

extension Resource {
    /// The resource that is short according to the error of a system call.
    package init?(code: Int32) {
        switch code {
        case EMFILE, ENFILE, ETOOMANYREFS: self = .descriptors
        case EAGAIN: self = .processes
        case ENOMEM, ENOBUFS: self = .memory
        default: return nil
        }
    }
}
