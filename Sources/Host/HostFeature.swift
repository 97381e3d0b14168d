// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor

/// A capability of a host besides feeding its engine: hooks, watched paths, transfers and the like.
///
/// Every call comes on the loop's thread. Features are called in the order of `Host.Ports.features`, and stopped in the
/// reverse order. Each may use its host at any time; events that it sends while the host handles an event are handled
/// after that event.
package protocol HostFeature: AnyObject {
    /// Called before the first event of the engine. Events sent now come after the recovery of an earlier host's
    /// attempts.
    func willStart()
    /// Called before the first launch. An event sent now is handled at once.
    func start()
    /// The manifest has changed from `old`.
    func manifestChanged(from old: Manifest)

    /// Events for the engine before its next event.
    func eventsDue(at now: Instant) -> [Event]
    /// Changes to store before those of `actions`, in the same transaction; the workers of launches among them are
    /// prepared after this.
    func changesBefore(_ actions: [Action], at now: Instant) -> [StoreChange]
    /// Completes the input of an attempt.
    func complete(_ work: inout Work, for attempt: Attempt)
    /// Changes to store after those of `actions`, in the same transaction.
    /// - Parameter ends: How the attempts among them ended.
    func changes(for actions: [Action], ends: [Int64: AttemptEnd], at now: Instant) -> [StoreChange]
    /// `actions` are stored and executed.
    func afterCommit(_ actions: [Action])
    /// The engine has handled all events; more may follow in the same round of the loop.
    func afterRound()

    /// The launch of an attempt was withdrawn.
    func withdrawn(_ attempt: Int64)
    /// Answers a call of a handler; false: it belongs to another feature.
    func answer(_ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer) -> Bool
    /// Answers a command; false: it belongs to the host or another feature.
    func answer(_ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void) -> Bool
    /// Adds the feature's data to the host's response.
    func add(to response: inout ControlResponse, for request: ControlRequest)
    /// Handles a notice about an attempt with a negative number; false: it belongs to another feature.
    func take(_ notice: AttemptNotice) -> Bool
    /// The manifest with the path of a plugin that belongs to the feature.
    func manifest(ofPlugin name: String) -> Manifest?
    /// Adds the feature's data for people.
    func add(to overview: inout AppOverview)

    /// Whether the feature has work although nothing is pending and nothing runs.
    var isBusy: Bool { get }
    /// Device readings needed in addition to the engine's.
    var needs: Conditions { get }
    /// Whether processes of an earlier host's attempts may exist without an attempt in the store.
    var mayHaveLeftovers: Bool { get }

    /// The store can be written again: stores the changes that have waited.
    func storeIsFree() throws(StoreError)
    /// Throws `replaced` if the files of the feature's own database are not the opened ones.
    func checkFiles() throws(StoreError)
    /// The host ends once every feature returns true. A feature that returns false calls `endIfDone` of its host later.
    /// May be called again after new work.
    func stop() -> Bool
    /// Kills everything that runs, without grace.
    func kill()
    /// The loop ends: accepts nothing new from here on.
    func close()
}

extension HostFeature {
    package func willStart() {}
    package func start() {}
    package func manifestChanged(from old: Manifest) {}
    package func eventsDue(at now: Instant) -> [Event] { [] }
    package func changesBefore(_ actions: [Action], at now: Instant) -> [StoreChange] { [] }
    package func complete(_ work: inout Work, for attempt: Attempt) {}
    package func changes(
        for actions: [Action], ends: [Int64: AttemptEnd], at now: Instant
    ) -> [StoreChange] { [] }
    package func afterCommit(_ actions: [Action]) {}
    package func afterRound() {}
    package func withdrawn(_ attempt: Int64) {}
    package func answer(
        _ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer
    ) -> Bool { false }
    package func answer(
        _ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void
    ) -> Bool { false }
    package func add(to response: inout ControlResponse, for request: ControlRequest) {}
    package func take(_ notice: AttemptNotice) -> Bool { false }
    package func manifest(ofPlugin name: String) -> Manifest? { nil }
    package func add(to overview: inout AppOverview) {}
    package var isBusy: Bool { false }
    package var needs: Conditions { [] }
    package var mayHaveLeftovers: Bool { false }
    package func storeIsFree() throws(StoreError) {}
    package func checkFiles() throws(StoreError) {}
    package func stop() -> Bool { true }
    package func kill() {}
    package func close() {}
}

/// Makes a feature of a new host; nil: the host does without it.
package typealias HostFeatureMaker =
    (_ host: Host, _ ports: Host.Ports) throws -> (any HostFeature)?

extension Host {
    /// The feature of that type.
    package func feature<Feature: HostFeature>(_ type: Feature.Type = Feature.self) -> Feature? {
        for case let feature as Feature in features { return feature }
        return nil
    }
}
