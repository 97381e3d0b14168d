// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor

/// What a host can do besides feeding its engine: hooks, watched paths, transfers and the like.
///
/// Every call comes on the loop's thread. Features are called in the order of `Host.Ports.features`, and
/// stopped in the reverse order. Each may use its host at any time; what it sends to the engine
/// while the host handles an event is handled after that event.
package protocol HostFeature: AnyObject {
    /// Before the engine is fed its first event. Events that are sent now come after the recovery of what an
    /// earlier host has left.
    func willStart()
    /// Before anything is launched. An event that is sent now is handled at once.
    func start()
    /// The host has another manifest than `old` now.
    func manifestChanged(from old: Manifest)

    /// What the engine is to be told before its next event.
    func eventsDue(at now: Instant) -> [Event]
    /// What is stored before the changes of `actions`, in the same transaction; the workers of launches among
    /// them are prepared after this.
    func changesBefore(_ actions: [Action], at now: Instant) -> [StoreChange]
    /// Completes what an attempt is launched with.
    func complete(_ work: inout Work, for attempt: Attempt)
    /// What is stored after the changes of `actions`, in the same transaction.
    /// - Parameter ends: How the attempts among them ended.
    func changes(for actions: [Action], ends: [Int64: AttemptEnd], at now: Instant) -> [StoreChange]
    /// `actions` are stored and carried out.
    func afterCommit(_ actions: [Action])
    /// The engine has been fed all events there are; more may follow in the same round of the loop.
    func afterRound()

    /// An attempt that was to be launched was not.
    func withdrawn(_ attempt: Int64)
    /// Answers a call of a handler; false: it is for another feature.
    func answer(_ call: WorkerMessage.Call, from attempt: Int64, _ answer: CallAnswer) -> Bool
    /// Answers a command; false: it is for the host or another feature.
    func answer(_ request: ControlRequest, _ answer: @escaping (ControlResponse) -> Void) -> Bool
    /// Adds to the host's answer what the feature knows.
    func add(to response: inout ControlResponse, for request: ControlRequest)
    /// Something happened to an attempt with a negative number; false: it is of another feature.
    func take(_ notice: AttemptNotice) -> Bool
    /// The manifest by which the file of a plugin of the feature's own is found.
    func manifest(ofPlugin name: String) -> Manifest?
    /// Adds what people are shown.
    func add(to overview: inout AppOverview)

    /// Whether there is something to wait for although nothing is pending and nothing runs.
    var isBusy: Bool { get }
    /// Readings of the device that are needed besides the engine's.
    var needs: Conditions { get }
    /// Whether processes of an earlier host's attempts may be left without an attempt in the store.
    var mayHaveLeftovers: Bool { get }

    /// The store can be written again: what has waited for it is stored.
    func storeIsFree() throws(StoreError)
    /// The host ends as soon as every feature says true. One that says false calls `endIfDone` of its host
    /// later. May be called again after work has come up.
    func stop() -> Bool
    /// What runs is killed, without grace.
    func kill()
    /// The loop ends: nothing new is let in from here on.
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
    package func stop() -> Bool { true }
    package func kill() {}
    package func close() {}
}

/// Makes a feature of a host that is being made; nil: the host does without it.
package typealias HostFeatureMaker =
    (_ host: Host, _ ports: Host.Ports) throws -> (any HostFeature)?

extension Host {
    /// The feature of that type.
    package func feature<Feature: HostFeature>(_ type: Feature.Type = Feature.self) -> Feature? {
        for case let feature as Feature in features { return feature }
        return nil
    }
}
