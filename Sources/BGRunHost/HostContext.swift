// SPDX-License-Identifier: Apache-2.0

import BGRunCore
import BGRunLoop
import BGRunManifest
import BGRunStore
import BGRunSupervisor

/// What a feature sees of its host. Belongs to the loop's thread.
protocol HostContext: AnyObject {
    /// The manifest in effect.
    var manifest: Manifest { get }
    /// For questions; it is fed by `send` and `ask`.
    var engine: Engine { get }
    var loop: EventLoop { get }
    var clock: any HostClock { get }
    /// For questions; it is written by `save`, and by what a feature says is to be stored.
    var store: Store { get }
    var supervisor: any AttemptSupervisor { get }
    var log: any HostLog { get }
    var ending: Host.Ending { get }
    var isStarted: Bool { get }
    /// What made the host stop working.
    var breakdown: StoreError? { get }

    /// Writes a line of the log.
    func say(_ level: LogLine.Level, _ text: String)
    /// Stores `changes` with the next transaction, at the end of this round at the latest.
    func save(_ changes: [StoreChange])
    /// Feeds the engine one event.
    func send(_ event: Event)
    /// Ends the host if every feature and the engine are done.
    func endIfDone()
}

extension Host: HostContext {}
