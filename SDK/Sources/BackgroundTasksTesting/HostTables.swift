// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Glibc

extension SimulatedScheduler {
    /// Attaches the runtime to this host and opens the app.
    func attach(_ register: () -> Void) {
        let status = Self.$launching.withValue(self) {
            runtime.attach(makeTable(), registration: register)
        }
        precondition(status == BGRUN_OK, "Launch the app once, not again (status \(status)).")
        runtime.add(
            PluginObserver(
                willLaunch: { [runtime] task in
                    task.handlerReturned.whenSent { [weak self] in
                        guard runtime.currentTask === task else { return }
                        self?.state.value.attempts.last?.state.change { $0.isHandlerReady = true }
                    }
                }))
        open()
    }

    /// The user opens the app, without starting a task.
    private func open() {
        let request = SimulatedRequest(
            identifier: "open", kind: .appRefresh, earliestBeginDate: nil, parameters: "{}",
            requirements: [], submitted: SimulatedRequest.Submitted(), earliest: clock.now)
        let person = SimulatedAttempt(
            request, of: SimulatedTask(.appRefresh, timeLimit: .seconds(86_400)), number: 1,
            under: self)
        person.identifier.withCString { identifier in
            "{}".withCString { parameters in
                manifestDirectory.withCString { directory in
                    var launch = bgrun_launch()
                    launch.struct_size = UInt32(MemoryLayout<bgrun_launch>.size)
                    launch.identifier = identifier
                    launch.parameters_json = parameters
                    launch.manifest_directory = directory
                    runtime.open(person.handle, launch)
                }
            }
        }
    }

    /// The host's table; like the scheduler itself, it lives until the process ends.
    private func makeTable() -> UnsafePointer<bgrun_host> {
        let name: StaticString = "BackgroundTasksTesting"
        var host = bgrun_host()
        host.struct_size = UInt32(MemoryLayout<bgrun_host>.size)
        host.abi_version = BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR
        host.host_data = Unmanaged.passRetained(self).toOpaque()
        host.name = UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
        host.version = host.name
        host.register_handler = { host, handler in
            guard let handler, let scheduler = SimulatedScheduler.of(host) else {
                return BGRUN_E_INVALID
            }
            let registered = RegisteredHandler(handler: handler.pointee)
            return scheduler.state.change { state in
                guard state.handler == nil else { return BGRUN_E_EXISTS }
                state.handler = registered
                return BGRUN_OK
            }
        }
        host.get_extension = { host, name in
            guard let name = name.map({ String(cString: $0) }) else { return nil }
            guard name == BGRUN_EXT_APP else { return ExtensionTables.table(name) }
            return SimulatedScheduler.of(host).map { UnsafeRawPointer($0.makeAppTable()) }
        }
        host.complete = { task, success, message in
            SimulatedAttempt.of(task)?.complete(success != 0, message.map { String(cString: $0) })
                ?? BGRUN_E_INVALID
        }
        host.is_expired = { task in
            SimulatedAttempt.of(task).map { $0.isRevoked ? 1 : 0 } ?? 1
        }
        host.should_defer = { task in
            SimulatedAttempt.of(task)?.state.value.shouldDefer == true ? 1 : 0
        }
        host.set_progress = { task, completed, total in
            let report = SimulatedAttempt.Progress(completed: completed, total: total)
            return SimulatedAttempt.of(task)?.record { $0.progress.append(report) }
                ?? BGRUN_E_INVALID
        }
        host.set_title = { task, title, subtitle in
            let title = title.map { String(cString: $0) }
            let subtitle = subtitle.map { String(cString: $0) }
            return SimulatedAttempt.of(task)?.record { state in
                state.title = title ?? state.title
                state.subtitle = subtitle ?? state.subtitle
            } ?? BGRUN_E_INVALID
        }
        host.log = { host, _, level, message in
            guard let message, let scheduler = SimulatedScheduler.of(host) else {
                return BGRUN_E_INVALID
            }
            let line = SimulatedScheduler.LogLine(
                level: PluginRuntime.LogLevel(rawValue: level) ?? .error,
                message: String(cString: message))
            scheduler.state.change { $0.log.append(line) }
            return BGRUN_OK
        }
        let table = UnsafeMutablePointer<bgrun_host>.allocate(capacity: 1)
        table.initialize(to: host)
        return UnsafePointer(table)
    }

    /// The manifest's facts of the app. The runtime reads them once.
    private func makeAppTable() -> UnsafePointer<bgrun_app_ext> {
        var table = bgrun_app_ext()
        table.struct_size = UInt32(MemoryLayout<bgrun_app_ext>.size)
        table.app = UnsafePointer(strdup(app))
        table.manifest_directory = UnsafePointer(strdup(manifestDirectory))
        table.task_kind = { host, identifier in
            SimulatedScheduler.task(host, identifier).map { Int32($0.kind.rawValue) }
                ?? BGRUN_E_NOT_PERMITTED
        }
        table.task_requires = { host, identifier in
            SimulatedScheduler.task(host, identifier).map { task in
                task.requirements.reduce(0) { $0 | $1.bits }
            } ?? BGRUN_E_NOT_PERMITTED
        }
        return ExtensionTables.constant(table)
    }

    private static func task(
        _ host: UnsafePointer<bgrun_host>?, _ identifier: UnsafePointer<CChar>?
    ) -> SimulatedTask? {
        guard let identifier, let scheduler = SimulatedScheduler.of(host) else { return nil }
        return scheduler.task(for: String(cString: identifier))
    }

    static func of(_ host: UnsafePointer<bgrun_host>?) -> SimulatedScheduler? {
        host?.pointee.host_data.map {
            Unmanaged<SimulatedScheduler>.fromOpaque($0).takeUnretainedValue()
        }
    }
}

extension SimulatedAttempt {
    /// The `bgrun_task *`: valid until the process ends, as the ABI requires.
    var handle: OpaquePointer { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

    static func of(_ task: OpaquePointer?) -> SimulatedAttempt? {
        task.map {
            Unmanaged<SimulatedAttempt>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue()
        }
    }

    var isRevoked: Bool {
        let state = state.value
        return state.expiredAt != nil || state.isOver
    }

    /// Records the reports of an attempt while it runs.
    func record(_ change: (inout State) -> Void) -> Int32 {
        state.change { state in
            guard !state.isOver else { return BGRUN_E_STATE }
            change(&state)
            return BGRUN_OK
        }
    }

    func complete(_ success: Bool, _ message: String?) -> Int32 {
        let status = state.change { state in
            guard state.completion == nil, !state.isOver else { return BGRUN_E_STATE }
            state.completion = Completion(
                success: success, message: message, isExpired: state.expiredAt != nil)
            return BGRUN_OK
        }
        if status == BGRUN_OK, success, !isExpired {
            scheduler.state.change { $0.checkpoints[identifier] = nil }
        }
        return status
    }
}

extension SimulatedTask.Requirement {
    /// The requirements of a request; a graphics processor is present when the request is accepted.
    static func set(_ bits: UInt32) -> Set<Self> {
        let all: [Self] = [.externalPower, .network, .unmeteredNetwork, .idle]
        let bits = Int32(bitPattern: bits)
        return Set(all.filter { bits & $0.bits == $0.bits })
    }

    var bits: Int32 {
        switch self {
        case .externalPower: BGRUN_REQUIRES_POWER
        case .network: BGRUN_REQUIRES_NETWORK
        case .unmeteredNetwork: BGRUN_REQUIRES_NETWORK | BGRUN_REQUIRES_UNMETERED
        case .idle: BGRUN_REQUIRES_IDLE
        }
    }
}
