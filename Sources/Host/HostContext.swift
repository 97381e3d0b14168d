// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor

/// What a feature sees of its host. Belongs to the loop's thread.
package protocol HostContext: AnyObject {
    /// The manifest in effect.
    var manifest: Manifest { get }
    /// For questions; it is fed by `send` and `ask`.
    var engine: Engine { get }
    var loop: EventLoop { get }
    var clock: any HostClock { get }
    /// For questions; it is written by `save`, and by what a feature says is to be stored.
    var store: any HostStore { get }
    var supervisor: any AttemptSupervisor { get }
    var log: any HostLog { get }
    var ending: Host.Ending { get }
    var isStarted: Bool { get }
    /// What ran when the last host died, until the engine has been told.
    var interrupted: [InterruptedAttempt] { get }
    /// The device as the engine was last told of it.
    var lastDevice: DeviceState { get }
    /// Whether work of this host failed.
    var hasFailures: Bool { get set }
    /// Whether what is decided waits for another program that writes to the store.
    var isStalled: Bool { get }
    /// The absolute path of the app's state; nil if the app has no state on the disk.
    var stateDirectory: String? { get }
    /// What made the host stop working.
    var breakdown: StoreError? { get }

    func say(_ level: LogLine.Level, _ text: String)
    /// Stores `changes` with the next transaction, at the end of this round at the latest.
    func save(_ changes: [StoreChange])
    /// Stores `changes` now, and all that waits to be saved, synced to the disk; false: the store is busy.
    func sync(_ changes: [StoreChange]) throws(StoreError) -> Bool
    /// Feeds the engine one event.
    func send(_ event: Event)
    /// Feeds the engine one event with a ticket, and is given its reply once that is stored.
    /// - Parameter isLate: The reply alone needs no sync of the disk.
    func ask(_ event: (Ticket) -> Event, isLate: Bool, _ reply: @escaping (Reply) -> Void)
    /// Answers a call of a handler.
    func answer(_ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer)
    /// What the device says, for plugins.
    var deviceOfWorkers: HostMessage.Device { get }
    /// The worker that a handler of the plugin needs for a task.
    func workerKey(of task: TaskDefinition, plugin: String) -> WorkerKey
    /// An attempt of the engine's that runs.
    func running(_ attempt: Int64) -> Attempt?
    /// `Host.overview` may be another than before.
    func noteChange()
    /// The feature did something that the engine was not told of.
    func noteWork()
    /// Ends the host: nothing can be stored.
    func breakDown(_ error: StoreError)
    /// Whether no work is left: the host ends once every feature has stopped.
    var isDone: Bool { get }
    /// Ends the host if every feature and the engine are done.
    func endIfDone()
}

extension HostContext {
    /// Writes a line of the log, and of the event table.
    package func announce(
        _ level: LogLine.Level, _ kind: String, of identifier: String = "", _ text: String
    ) {
        say(level, text)
        save([.event(EventLine(at: clock.now, kind: kind, identifier: identifier, text: text))])
    }
}

extension Host: HostContext {
    package var isStalled: Bool { stall.since != nil }

    package func running(_ attempt: Int64) -> Attempt? { attempts.views[attempt]?.attempt }

    package var isStarted: Bool { life.startedAt != nil }

    package var interrupted: [InterruptedAttempt] { life.interrupted }

    package var lastDevice: DeviceState { device.last }

    package func noteChange() { observer?.changed() }

    package func noteWork() { observer?.worked() }
}
