// SPDX-License-Identifier: Apache-2.0

import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSupervisor
import BGRunSystem
import CBGRunPlugin
import CBGRunShims

extension Host {
    /// The worker that a task's handler needs; a host without a state directory gives the app no home.
    package func workerKey(of task: TaskDefinition, plugin: String) -> WorkerKey {
        let confinement = manifest.confinementOfWorkers(task)
        guard let stateDirectory else {
            return WorkerKey(
                plugin: plugin, environment: task.environment, confinement: confinement)
        }
        return WorkerKey(
            plugin: plugin, home: StateDirectory.appHome(stateDirectory), own: task.environment,
            confinement: confinement)
    }

    /// Why a request of a continued task cannot run as requested, as far as is known: no process that will run it has
    /// its handler, or the only one with the handler is not free at once.
    /// - Parameters:
    ///   - isOnlyImmediate: Whether the request has strategy `fail`; its task may have it as well.
    ///   - attempt: The attempt that submits it, after which its process is free; nil for other submitters.
    func handlerProblem(
        of identifier: String, isOnlyImmediate: Bool = false, from attempt: Int64? = nil
    ) -> HandlerProblem? {
        // For a request of a running identifier the engine decides.
        guard engine.runningAttempt(identifier) == nil,
            let declaration = engine.declaration(for: identifier),
            let key = continuedKey(of: identifier)
        else { return nil }
        switch supervisor.handlerPlace(of: identifier, key) {
        case .available: return nil
        case .busy(let other):
            guard other != attempt, isOnlyImmediate || declaration.isOnlyImmediate else {
                return nil
            }
            let refusal = Refusal.notImmediately(
                identifier: identifier, reason: "its worker runs another attempt first")
            return HandlerProblem(
                status: BGRUN_E_NOT_IMMEDIATELY, code: refusal.code, message: refusal.message)
        case .lost:
            return HandlerProblem(
                status: BGRUN_E_NOT_FOUND, message: Supervisor.lostHandler(of: identifier))
        case .otherEnvironment:
            return HandlerProblem(
                status: BGRUN_E_NOT_FOUND,
                message: "No launch handler registered for task with identifier \(identifier): it "
                    + "was registered in a process with another environment. Give both tasks the same "
                    + "`environment` in the manifest, or register it at launch")
        }
    }

    /// The worker that the handler of a continued task needs; nil for other tasks.
    private func continuedKey(of identifier: String) -> WorkerKey? {
        guard let declaration = engine.declaration(for: identifier),
            declaration.kind == .continued, let task = definitions[declaration.identifier],
            case .handler(let plugin, _) = task.action
        else { return nil }
        return workerKey(of: task, plugin: plugin)
    }

    struct HandlerProblem {
        /// `BGRUN_E_...`
        var status: Int32
        /// Apple's code, as for a refusal; 0 if Apple does not have one.
        var code = 0
        var message: String
    }

    /// Starts the workers of the launches. A launch whose worker cannot be started now is removed
    /// from `actions` and reported to the engine next; a refused one ends immediately.
    func prepareLaunches(
        _ actions: [Action]
    ) throws(StoreError) -> ([Action], [Int64: ProcessIdentity]) {
        var workers: [Int64: ProcessIdentity] = [:]
        var deferred: [Int64: (request: TaskRequest, resource: Resource)] = [:]
        for case .launch(let attempt) in actions {
            precondition(
                attempt.id > 0 && attempts.views[attempt.id] == nil, "\(attempt.id) runs already")
            precondition(
                attempts.ends[attempt.id] == nil, "attempt \(attempt.id) has ended already")
            attempts.launchedMonotonic[attempt.id] = bgrun_monotonic_ns()
            switch supervisor.prepare(try work(for: attempt)) {
            case .ready(let identity): workers[attempt.id] = identity
            case .refused: break
            case .short(let resource):
                forgetLaunch(attempt.id)
                deferred[attempt.id] = (attempt.request, resource)
            }
        }
        guard let resource = deferred.min(by: { $0.key < $1.key })?.value.resource else {
            return (actions, workers)
        }
        queue.insert([.launchDeferred(deferred.keys.sorted(), resource)])
        let possible = actions.compactMap { action -> Action? in
            guard case .reply(let ticket, .launched(let attempt)) = action else {
                return action.attempt.map { deferred[$0] == nil } ?? true ? action : nil
            }
            guard let request = deferred[attempt]?.request else { return action }
            let reason = PendingReason.resources(resource).text
            return .reply(
                ticket, .refused(.postponed(identifier: request.identifier, reason: reason)))
        }
        return (possible, workers)
    }

    func forgetLaunch(_ attempt: Int64) {
        attempts.steps[attempt] = nil
        attempts.launchedMonotonic[attempt] = nil
        attempts.heldStarts[attempt] = nil
        attempts.views[attempt] = nil
        for feature in features { feature.withdrawn(attempt) }
    }

    /// The input of the supervisor for an attempt.
    func work(for attempt: Attempt) throws(StoreError) -> Work {
        guard let task = definitions[attempt.declaration] else {
            preconditionFailure("the engine launches only what the manifest declares")
        }
        let key: WorkerKey
        let action: HostMessage.Launch.Action
        var secrets: [Secret] = []
        switch task.action {
        case .handler(let plugin, let name):
            key = workerKey(of: task, plugin: plugin)
            action = .handler(name)
            secrets = task.secrets
        case .foreign(let program):
            key = WorkerKey(
                plugin: nil, environment: task.environment,
                confinement: manifest.confinementOfWorkers(task))
            action = .foreign(program)
        }
        let request = attempt.request
        var work = Work(
            key: key,
            launch: HostMessage.Launch(
                attempt: attempt.id, identifier: request.identifier, kind: request.kind.rawValue,
                // fits: 31 bits
                attemptNumber: UInt32(clamping: request.failures + request.interruptions + 1),
                action: action,
                parameters: Parameters.overlay(request.parameters, on: task.parameters),
                manifestDirectory: manifest.directory,
                deadlineBoottime: clock.boottime(at: attempt.deadlineElapsed),
                assertionLimitNanoseconds: engine.configuration.policy.assertionLimit.nanoseconds,
                device: deviceOfWorkers,
                checkpoint: try checkpoint(of: request.identifier)))
        work.secrets = secrets
        for feature in features { feature.complete(&work, for: attempt) }
        return work
    }

    private func checkpoint(of identifier: String) throws(StoreError) -> HostMessage.Checkpoint? {
        guard checkpoints.stored.contains(identifier) else { return nil }
        return try store.checkpoint(identifier).map {
            HostMessage.Checkpoint(version: $0.version, data: $0.data)
        }
    }
}

extension Manifest {
    /// The confinement of a task's workers; nil: they have the rights of the user.
    func confinementOfWorkers(_ task: TaskDefinition) -> Confinement? {
        let confinement = confinement(of: task)
        return confinement.profile == .none ? nil : confinement
    }
}

extension Host: PendingHandlers {
    package func isPending(_ identifier: String, _ key: WorkerKey) -> Bool {
        !engine.isEnding && engine.pendingRequest(identifier) != nil
            && continuedKey(of: identifier) == key
    }

    package func firstPending(_ key: WorkerKey, where matches: (String) -> Bool) -> String? {
        guard !engine.isEnding else { return nil }
        return engine.firstPending(of: .continued) {
            matches($0) && continuedKey(of: $0) == key
        }
    }
}

extension HostMessage.Device {
    package init(_ device: DeviceState, refresh: RefreshSwitch? = nil) {
        self.init(
            externalPower: device.externalPower.rawValue,
            batteryPercent: device.batteryPercent.map { Int8(clamping: $0) } ?? -1,
            lowPowerMode: device.lowPowerMode.rawValue, network: device.network.rawValue,
            networkMetered: device.networkMetered.rawValue, userIdle: device.userIdle.rawValue,
            thermalState: device.thermal?.rawValue ?? -1,
            backgroundRefresh: refresh.map { Int8(clamping: $0.rawValue) } ?? -1)
    }
}
