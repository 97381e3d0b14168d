// SPDX-License-Identifier: Apache-2.0

public import BGRunCore
public import BGRunProcess
public import BGRunWire
import Glibc

/// What a host needs of that which runs its attempts: `Supervisor`, or a simulated one.
///
/// Belongs to the loop's thread.
public protocol AttemptSupervisor: AnyObject {
    /// Checks a plugin's file and opens it; asked once for each worker that is started.
    var image: (_ plugin: String) -> Result<PluginImage, PluginRefusal> { get set }
    /// Called on the loop's thread; never from within a call of the supervisor's own.
    var onNotice: (AttemptNotice) -> Void { get set }

    /// Leaves a child alone that no attempt has started, until it has ended by itself.
    func accompany(_ pid: Int32, ended: @escaping (_ status: Int32) -> Void)
    /// Finds or starts the worker for an attempt and says which process it is, so that it can be
    /// stored before the handler is entered.
    func prepare(_ work: Work) -> Preparation
    /// Enters the handler of an attempt that was prepared, or says why there is none.
    func launch(_ attempt: Int64)
    /// Tells the handler that its time is revoked.
    func expire(_ attempt: Int64, _ reason: StopReason, grace: Interval, deadlineElapsed: Int64)
    /// Sends SIGTERM to everything the attempt started.
    func terminate(_ attempt: Int64)
    /// Sends SIGKILL to everything the attempt started.
    func kill(_ attempt: Int64)
    /// Tells the workers that run attempts how the device is now.
    func tell(_ device: HostMessage.Device)
    /// Other limits, plugins and facts of the app count from here on.
    func change(_ limits: SupervisorLimits, app: HostMessage.App)
    /// Whether a worker waits for another attempt, or has been ended for lack of one and is not gone.
    var hasWarmWorkers: Bool { get }
    /// What the plugin of a running attempt has.
    func plugin(of attempt: Int64) -> AttemptPlugin
    /// Ends every warm worker; `done` is called when they are gone, or do not go.
    func retireWarmWorkers(_ done: @escaping () -> Void)
    /// SIGCHLD came.
    func childrenEnded()
}

extension AttemptSupervisor {
    public func accompany(_ pid: Int32) { accompany(pid) { _ in } }
}

/// What came of preparing an attempt.
public enum Preparation: Hashable, Sendable {
    /// Its worker; `launch` enters the handler.
    case ready(ProcessIdentity)
    /// Its plugin cannot be used; `launch` ends the attempt, with the reason.
    case refused
    /// No worker can be started now, and nothing is prepared: it may be tried again.
    case short(Resource)
}

extension Resource {
    /// The resource that a system call's error says there is too little of.
    public init?(code: Int32) {
        switch code {
        case EMFILE, ENFILE: self = .descriptors
        case EAGAIN: self = .processes
        case ENOMEM, ENOBUFS: self = .memory
        default: return nil
        }
    }
}
