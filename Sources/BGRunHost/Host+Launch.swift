// SPDX-License-Identifier: Apache-2.0

import BGRunCore
public import BGRunManifest
import BGRunStore
import BGRunSupervisor
public import BGRunWire

extension Host {
    /// What the supervisor needs to run an attempt.
    func work(for attempt: Attempt) throws(StoreError) -> Work {
        guard let task = definitions[attempt.declaration] else {
            preconditionFailure("the engine launches only what the manifest declares")
        }
        let key: WorkerKey
        let action: HostMessage.Launch.Action
        switch task.action {
        case .handler(let plugin, let name):
            key = WorkerKey(plugin: plugin, environment: task.environment)
            action = .handler(name)
        case .foreign(let program):
            key = WorkerKey(plugin: nil, environment: task.environment)
            action = .foreign(program)
        }
        let request = attempt.request
        var parameters = Parameters.overlay(request.parameters, on: task.parameters)
        if let newest = pushes.give(to: attempt).last {
            // Under a key of its own: who may send a push may not say what the manifest does.
            parameters = Parameters.overlay("{\"push\":\(newest.payload)}", on: parameters)
        }
        return Work(
            key: key,
            launch: HostMessage.Launch(
                attempt: attempt.id, identifier: request.identifier, kind: request.kind.rawValue,
                attemptNumber: UInt32(clamping: request.failures + request.interruptions + 1),
                action: action,
                parameters: parameters,
                manifestDirectory: manifest.directory,
                deadlineBoottime: clock.boottime(at: attempt.deadlineElapsed),
                assertionLimitNanoseconds: engine.configuration.policy.assertionLimit.nanoseconds,
                device: HostMessage.Device(engine.deviceState),
                checkpoint: try checkpoint(of: request.identifier)),
            socket: socket(for: attempt.declaration))
    }

    private func checkpoint(
        of identifier: String
    ) throws(StoreError) -> HostMessage.Checkpoint? {
        guard checkpointed.contains(identifier) else { return nil }
        return try store.checkpoint(identifier).map {
            HostMessage.Checkpoint(version: $0.version, data: $0.data)
        }
    }
}

extension Manifest {
    /// What plugins are told of the app.
    public var appOfPlugins: HostMessage.App {
        HostMessage.App(
            identifier: app, manifestDirectory: directory, permitted: permittedIdentifiers,
            tasks: tasks.map { task in
                HostMessage.App.Task(
                    identifier: task.declaration.identifier,
                    kind: task.declaration.kind.rawValue,
                    requires: task.declaration.requires.rawValue)
            })
    }
}

extension HostMessage.Device {
    init(_ device: DeviceState) {
        self.init(
            externalPower: device.externalPower.rawValue,
            batteryPercent: device.batteryPercent.map { Int8(clamping: $0) } ?? -1,
            lowPowerMode: device.lowPowerMode.rawValue, network: device.network.rawValue,
            networkMetered: device.networkMetered.rawValue, userIdle: device.userIdle.rawValue,
            thermalState: device.thermal?.rawValue ?? -1)
    }
}
