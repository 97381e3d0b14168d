// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation
import Synchronization

extension FakeHost {
    /// The host's table without `host_data`.
    static var functions: bgrun_host {
        bgrun_host(
            struct_size: UInt32(MemoryLayout<bgrun_host>.size),
            abi_version: BGRUN_ABI_MAJOR << 16 | BGRUN_ABI_MINOR, host_data: nil, name: nil,
            version: nil,
            register_handler: { host, handler in
                let copy = handler.map { Handler(value: $0.pointee) }
                FakeHost.of(host).state.withLock { $0.handler = copy }
                return BGRUN_OK
            },
            get_extension: { host, name in
                guard let name else { return nil }
                return FakeHost.of(host).table(String(cString: name))
            },
            complete: { task, success, message in
                FakeAttempt.of(task).state.withLock { state in
                    guard state.completion == nil else { return BGRUN_E_STATE }
                    state.completion = FakeAttempt.Completion(
                        success: success != 0, message: message.map { String(cString: $0) })
                    return BGRUN_OK
                }
            },
            is_expired: { task in
                FakeAttempt.of(task).state.withLock { $0.isTold || $0.isOver } ? 1 : 0
            },
            should_defer: { task in FakeAttempt.of(task).state.withLock { $0.isTold } ? 1 : 0 },
            set_progress: { task, completed, total in
                FakeAttempt.of(task).state.withLock { $0.progress.append("\(completed)/\(total)") }
                return BGRUN_OK
            },
            set_title: { task, title, subtitle in
                let texts = [title, subtitle].map { $0.map { String(cString: $0) } ?? "-" }
                FakeAttempt.of(task).state.withLock {
                    $0.titles.append(texts.joined(separator: "|"))
                }
                return BGRUN_OK
            },
            log: { host, task, _, message in
                let text = message.map { String(cString: $0) } ?? ""
                FakeHost.of(host).state.withLock { $0.log.append(text) }
                return BGRUN_OK
            })
    }

    private func table(_ name: String) -> UnsafeRawPointer? {
        switch name {
        case BGRUN_EXT_APP: state.withLock { $0.kinds != nil } ? Self.app : nil
        case BGRUN_EXT_SCHEDULER: Self.schedulerTable
        case BGRUN_EXT_CHECKPOINT: Self.checkpoint
        case BGRUN_EXT_ASSERTION: Self.assertion
        case BGRUN_EXT_PROCESS where state.withLock(\.hasProcess): Self.process
        case BGRUN_EXT_DEVICE where state.withLock(\.hasDevice): Self.device
        case BGRUN_EXT_REGISTRATION: Self.registration
        default: nil
        }
    }

    nonisolated(unsafe) private static let app = constant(
        bgrun_app_ext(
            struct_size: UInt32(MemoryLayout<bgrun_app_ext>.size), reserved: 0,
            app: UnsafePointer(strdup("com.example.app")),
            manifest_directory: nil,
            task_kind: { host, identifier in
                guard let identifier else { return BGRUN_E_INVALID }
                return FakeHost.of(host).state.withLock {
                    $0.kinds?[String(cString: identifier)] ?? BGRUN_E_NOT_PERMITTED
                }
            },
            task_requires: { host, _ in FakeHost.of(host).state.withLock { $0.requires } }))

    nonisolated(unsafe) private static let registration = constant(
        bgrun_registration_ext(
            struct_size: UInt32(MemoryLayout<bgrun_registration_ext>.size), reserved: 0,
            registered: { host, registration in
                guard let registration = registration?.pointee else { return BGRUN_E_INVALID }
                let told = Told(
                    identifier: registration.identifier.map { String(cString: $0) },
                    kind: registration.kind, delay: registration.earliest_delay_ns,
                    requires: registration.requires)
                FakeHost.of(host).state.withLock { $0.registrations.append(told) }
                return BGRUN_OK
            }))

    nonisolated(unsafe) private static let schedulerTable = constant(
        bgrun_scheduler_ext(
            struct_size: UInt32(MemoryLayout<bgrun_scheduler_ext>.size), reserved: 0,
            submit: { task, request in submit(FakeAttempt.of(task), request) },
            cancel: { task, identifier in
                guard let identifier = identifier.map({ String(cString: $0) }) else {
                    return BGRUN_E_INVALID
                }
                return FakeAttempt.of(task).host.state.withLock { state in
                    let count = state.pending.count
                    state.pending.removeAll { $0.identifier == identifier }
                    state.cancelled.append(identifier)
                    return state.pending.count < count ? BGRUN_OK : BGRUN_E_NOT_FOUND
                }
            },
            pending: { task, context, visit in
                for item in FakeAttempt.of(task).host.state.withLock({ $0.pending }) {
                    item.identifier.withCString { identifier in
                        var pending = bgrun_pending()
                        // The size of ABI 1.0; the plugin must not read the fields behind it.
                        pending.struct_size = UInt32(
                            MemoryLayout<bgrun_pending>.offset(of: \.requires) ?? 0)
                        pending.kind = item.kind.rawValue
                        pending.identifier = identifier
                        pending.earliest_unix_ns = item.earliestUnixNanoseconds ?? 0
                        pending.requires = .max
                        visit?(context, &pending)
                    }
                }
                return BGRUN_OK
            }))

    private static func submit(
        _ attempt: FakeAttempt, _ request: UnsafePointer<bgrun_request>?
    ) -> Int32 {
        guard !attempt.state.withLock({ $0.isOver }) else { return BGRUN_E_STATE }
        return submit(attempt.host, request)
    }

    static func submit(_ host: FakeHost, _ request: UnsafePointer<bgrun_request>?) -> Int32 {
        guard let request = request?.pointee else { return BGRUN_E_INVALID }
        return host.state.withLock { state in
            guard state.submitStatus == BGRUN_OK else { return state.submitStatus }
            state.submitted.append(
                Submitted(
                    identifier: String(cString: request.identifier),
                    parameters: request.parameters_json.map { String(cString: $0) },
                    delay: request.earliest_delay_ns, requires: request.requires,
                    kind: request.kind, strategy: request.strategy))
            return BGRUN_OK
        }
    }

    nonisolated(unsafe) private static let checkpoint = constant(
        bgrun_checkpoint_ext(
            struct_size: UInt32(MemoryLayout<bgrun_checkpoint_ext>.size), reserved: 0,
            put: { task, version, data, size in
                guard size <= UInt64(BGRUN_CHECKPOINT_MAX) else { return BGRUN_E_TOO_LARGE }
                let bytes = [UInt8](UnsafeRawBufferPointer(start: data, count: Int(size)))
                FakeAttempt.of(task).state.withLock {
                    $0.checkpoint =
                        bytes.isEmpty ? nil : PluginCheckpoint(version: version, data: bytes)
                }
                return BGRUN_OK
            },
            get: { task, buffer, capacity, size, version in
                guard let stored = FakeAttempt.of(task).state.withLock({ $0.checkpoint }) else {
                    return BGRUN_E_NOT_FOUND
                }
                size?.pointee = UInt64(stored.data.count)
                version?.pointee = stored.version
                let count = min(Int(capacity), stored.data.count)
                buffer?.copyMemory(from: stored.data, byteCount: count)
                return BGRUN_OK
            }))

    nonisolated(unsafe) private static let assertion = constant(
        bgrun_assertion_ext(
            struct_size: UInt32(MemoryLayout<bgrun_assertion_ext>.size), reserved: 0,
            begin: { task, name in
                let attempt = FakeAttempt.of(task)
                let name = name.map { String(cString: $0) }
                let (id, isRevoked) = attempt.state.withLock { state -> (Int64, Bool) in
                    guard !state.isTold, !state.isOver else { return (0, false) }
                    let id = (state.assertions.max() ?? 0) + 1
                    state.assertions.insert(id)
                    return (id, name != nil && name == state.revokingAssertion)
                }
                if isRevoked { attempt.expire() }
                return id
            },
            end: { task, id in
                FakeAttempt.of(task).state.withLock { _ = $0.assertions.remove(id) }
            },
            time_remaining: { _ in .max }))

    static func constant<Table>(_ table: Table) -> UnsafeRawPointer {
        let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
        pointer.initialize(to: table)
        return UnsafeRawPointer(pointer)
    }
}
