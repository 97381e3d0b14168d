// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import BGRunSystem

/// Runs nothing: records the calls of a host, and sends the notices of a test.
final class SimulatedSupervisor: AttemptSupervisor {
    enum Call: Equatable {
        case prepare(Int64)
        case launch(Int64)
        case withdraw(Int64)
        case expire(Int64, StopReason, grace: Interval, deadline: Int64)
        case terminate(Int64)
        case kill(Int64)
        case tell(HostMessage.Device)
        case holdOutput(Bool)
        case change
        case retire
    }

    var image: (String) -> Result<PluginImage, PluginRefusal> = {
        .failure(PluginRefusal(message: $0))
    }
    var onNotice: (AttemptNotice) -> Void = { _ in }
    private(set) var calls: [Call] = []
    private(set) var works: [Int64: Work] = [:]
    /// The missing resource if no worker can be started.
    var shortage: Resource?
    /// The number of concurrent attempts before processes run out.
    var capacity = Int.max
    private var running: Set<Int64> = []
    private(set) var hasSparedChildren = false
    var hasWarmWorkers = false
    var hasWorkers = false
    private var retiring: [() -> Void] = []
    /// Called with each call before it is recorded.
    var looking: (Call) -> Void = { _ in }

    private func note(_ call: Call) {
        looking(call)
        calls.append(call)
    }

    func forgetCalls() { calls = [] }

    var launched: [Int64] {
        calls.compactMap { if case .launch(let attempt) = $0 { attempt } else { nil } }
    }

    func addHelper(_ pid: Int32, ended: @escaping (Int32) -> Void) {}

    func spareChildren() { hasSparedChildren = true }

    func prepare(_ work: Work) -> Preparation {
        note(.prepare(work.launch.attempt))
        if let shortage { return .short(shortage) }
        if running.count >= capacity { return .short(.processes) }
        running.insert(work.launch.attempt)
        works[work.launch.attempt] = work
        return .ready(ProcessIdentity(pid: .max, startTicks: 1, bootID: "none"))
    }

    func launch(_ attempt: Int64, deadlineElapsed: Int64?) {
        if let deadlineElapsed { works[attempt]?.launch.deadlineBoottime = deadlineElapsed }
        note(.launch(attempt))
    }

    func withdraw(_ attempt: Int64) {
        note(.withdraw(attempt))
        running.remove(attempt)
    }

    func expire(
        _ attempt: Int64, _ reason: StopReason, grace: Interval, deadlineElapsed: Int64
    ) {
        note(.expire(attempt, reason, grace: grace, deadline: deadlineElapsed))
    }

    func terminate(_ attempt: Int64) { note(.terminate(attempt)) }

    func kill(_ attempt: Int64) { note(.kill(attempt)) }

    func tell(_ device: HostMessage.Device) { note(.tell(device)) }

    func holdOutput(_ isHeld: Bool) { note(.holdOutput(isHeld)) }

    func change(_ limits: SupervisorLimits, app: HostMessage.App) { note(.change) }

    func retireWarmWorkers(_ done: @escaping () -> Void) {
        note(.retire)
        retiring.append(done)
    }

    /// The plugin of every attempt.
    var plugin = AttemptPlugin.none

    func plugin(of attempt: Int64) -> AttemptPlugin { plugin }

    /// The place of every handler.
    var place = HandlerPlace.available

    func handlerPlace(of identifier: String, _ key: WorkerKey) -> HandlerPlace { place }

    func childrenEnded() {}

    // MARK: notices of a test

    func end(
        _ attempt: Int64, _ outcome: Outcome = .completed, message: String? = nil,
        entered: Int64? = nil
    ) {
        running.remove(attempt)
        onNotice(
            .ended(
                attempt: attempt,
                AttemptEnd(outcome: outcome, message: message, enteredMonotonic: entered)))
    }

    func finishRetiring() {
        hasWarmWorkers = false
        let waiting = retiring
        retiring = []
        for done in waiting { done() }
    }
}
