// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSystem
import CBGRunPlugin
import Glibc

extension HostTable {
    /// Longer ones are never permitted.
    static let longestIdentifier = 256
    private static let largestParameters = 1 << 20

    /// `bgrun_host.get_extension`: the functions of this host beyond its table.
    static func extensionTable(_ name: UnsafePointer<CChar>?) -> UnsafeRawPointer? {
        switch name.map({ text($0, atMost: 64) }) {
        case BGRUN_EXT_CHECKPOINT: TrialHost.extensionTable(checkpoint)
        case BGRUN_EXT_SCHEDULER: TrialHost.extensionTable(scheduler)
        case BGRUN_EXT_DEVICE: TrialHost.extensionTable(device)
        case BGRUN_EXT_ASSERTION: TrialHost.extensionTable(assertion)
        case BGRUN_EXT_TRANSFER: TrialHost.extensionTable(transfer)
        case BGRUN_EXT_PUSH: TrialHost.extensionTable(push)
        case BGRUN_EXT_PROCESS: TrialHost.extensionTable(process)
        case BGRUN_EXT_SHORTAGE: TrialHost.extensionTable(shortage)
        case BGRUN_EXT_REGISTRATION: registrationTable()
        case BGRUN_EXT_APP: app.flatMap(TrialHost.extensionTable)
        default: nil
        }
    }

    nonisolated(unsafe) private static let checkpoint = constant(
        bgrun_checkpoint_ext(
            struct_size: UInt32(MemoryLayout<bgrun_checkpoint_ext>.size), reserved: 0,
            put: { task, version, data, size in
                TrialHost.remark(
                    attempt(task), "put", putCheckpoint(attempt(task), version, data, size))
            },
            get: { task, buffer, capacity, size, version in
                getCheckpoint(attempt(task), buffer, capacity, size, version)
            }))

    nonisolated(unsafe) private static let scheduler = constant(
        bgrun_scheduler_ext(
            struct_size: UInt32(MemoryLayout<bgrun_scheduler_ext>.size), reserved: 0,
            submit: { task, request in
                let id = attempt(task)
                let status = submit(request) { AttemptController.shared.call(id, $0) }
                return TrialHost.remark(id, "submit", status)
            },
            cancel: { task, identifier in
                guard let identifier else { return BGRUN_E_INVALID }
                let call = WorkerMessage.Call.cancel(
                    identifier: text(identifier, atMost: longestIdentifier))
                return AttemptController.shared.call(attempt(task), call).status
            },
            pending: { task, context, visit in
                let id = attempt(task)
                return pending(context, visit) { AttemptController.shared.call(id, $0) }
            }))

    nonisolated(unsafe) private static let device = constant(
        bgrun_device_ext(
            struct_size: UInt32(MemoryLayout<bgrun_device_ext>.size), reserved: 0,
            read: { task, device in readDevice(attempt(task), device) }))

    nonisolated(unsafe) private static let assertion = constant(
        bgrun_assertion_ext(
            struct_size: UInt32(MemoryLayout<bgrun_assertion_ext>.size), reserved: 0,
            begin: { task, name in
                AttemptController.shared.beginAssertion(
                    attempt(task), name: name.map { text($0, atMost: 256) })
            },
            end: { task, id in AttemptController.shared.endAssertion(attempt(task), id) },
            time_remaining: { task in AttemptController.shared.timeRemaining(attempt(task)) }))

    nonisolated(unsafe) private static let shortage = constant(
        bgrun_shortage_ext(
            struct_size: UInt32(MemoryLayout<bgrun_shortage_ext>.size), reserved: 0,
            report: { task, error in
                let status = reportShortage(attempt(task), error)
                return TrialHost.remark(attempt(task), "report", status)
            }))

    private static func reportShortage(_ id: Int64, _ error: Int32) -> Int32 {
        guard [EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(error) else {
            return BGRUN_E_INVALID
        }
        return AttemptController.shared.withCurrent(id) { _ in
            HostChannel.send(.waiting(attempt: id, error: error))
            return BGRUN_OK
        }
    }

    private static func putCheckpoint(
        _ id: Int64, _ version: UInt32, _ data: UnsafeRawPointer?, _ size: UInt64
    ) -> Int32 {
        guard size <= UInt64(BGRUN_CHECKPOINT_MAX) else { return BGRUN_E_TOO_LARGE }
        guard data != nil || size == 0 else { return BGRUN_E_INVALID }
        let bytes = [UInt8](UnsafeRawBufferPointer(start: data, count: Int(size)))
        let answer = AttemptController.shared.call(
            id, .putCheckpoint(version: version, data: bytes))
        guard answer.status == BGRUN_OK else { return answer.status }
        _ = AttemptController.shared.withCurrent(id) { attempt in
            attempt.checkpoint =
                bytes.isEmpty ? nil : HostMessage.Checkpoint(version: version, data: bytes)
            return BGRUN_OK
        }
        return BGRUN_OK
    }

    private static func getCheckpoint(
        _ id: Int64, _ buffer: UnsafeMutableRawPointer?, _ capacity: UInt64,
        _ size: UnsafeMutablePointer<UInt64>?, _ version: UnsafeMutablePointer<UInt32>?
    ) -> Int32 {
        guard let size, buffer != nil || capacity == 0 else { return BGRUN_E_INVALID }
        return AttemptController.shared.withCurrent(id) { attempt in
            guard let checkpoint = attempt.checkpoint else { return BGRUN_E_NOT_FOUND }
            size.pointee = UInt64(checkpoint.data.count)
            version?.pointee = checkpoint.version
            let count = min(Int(clamping: capacity), checkpoint.data.count)
            checkpoint.data.withUnsafeBytes { bytes in
                if let buffer, let source = bytes.baseAddress { memcpy(buffer, source, count) }
            }
            return BGRUN_OK
        }
    }

    /// The request of a plugin of any ABI version; nil if it is smaller than that of the first.
    private static func request(_ pointer: UnsafePointer<bgrun_request>) -> bgrun_request? {
        guard let first = MemoryLayout<bgrun_request>.offset(of: \.requires),
            Int(pointer.pointee.struct_size) >= first
        else { return nil }
        var request = bgrun_request()
        memcpy(
            &request, pointer,
            min(Int(pointer.pointee.struct_size), MemoryLayout<bgrun_request>.size))
        return request
    }

    private static let knownRequirements =
        BGRUN_REQUIRES_POWER | BGRUN_REQUIRES_NETWORK | BGRUN_REQUIRES_UNMETERED
        | BGRUN_REQUIRES_IDLE | BGRUN_REQUIRES_BATTERY | BGRUN_REQUIRES_STORAGE
        | BGRUN_REQUIRES_GPU

    static func submit(
        _ pointer: UnsafePointer<bgrun_request>?,
        _ ask: (WorkerMessage.Call) -> HostMessage.Answer
    ) -> Int32 {
        guard let request = pointer.flatMap(request), let identifier = request.identifier,
            request.earliest_delay_ns >= 0, let requires = UInt8(exactly: request.requires),
            // fits: 7 flags
            requires & ~UInt8(knownRequirements) == 0, request.kind <= BGRUN_KIND_TRANSFER,
            request.strategy <= BGRUN_STRATEGY_QUEUE
        else { return BGRUN_E_INVALID }
        let parameters = request.parameters_json.map { text($0, atMost: largestParameters + 1) }
        guard parameters?.utf8.count ?? 0 <= largestParameters else { return BGRUN_E_TOO_LARGE }
        let tags = request.tags.map { text($0, atMost: Annotations.longestText + 1) } ?? ""
        let annotations = Annotations(tags: Tags(tags.split(separator: " ").map(String.init)))
        guard tags.utf8.count <= Annotations.longestText, annotations.problem == nil else {
            return BGRUN_E_INVALID
        }
        return ask(
            .submit(
                WorkerMessage.Request(
                    identifier: text(identifier, atMost: longestIdentifier),
                    parameters: parameters, delayNanoseconds: request.earliest_delay_ns,
                    requires: requires, kind: UInt8(request.kind),  // fits: a known kind
                    isOnlyImmediate: request.strategy == BGRUN_STRATEGY_FAIL,
                    annotations: annotations.text))
        ).status
    }

    static func pending(
        _ context: UnsafeMutableRawPointer?,
        _ visit: (
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<bgrun_pending>?) -> Void
        )?, _ ask: (WorkerMessage.Call) -> HostMessage.Answer
    ) -> Int32 {
        guard let visit else { return BGRUN_E_INVALID }
        let answer = ask(.pending)
        guard answer.status == BGRUN_OK else { return answer.status }
        for item in answer.pending.newestByIdentifier {
            item.withPending { TrialHost.pass($0) { visit(context, $0) } }
        }
        return BGRUN_OK
    }

    private static func readDevice(
        _ id: Int64, _ pointer: UnsafeMutablePointer<bgrun_device>?
    ) -> Int32 {
        let headerSize = MemoryLayout<UInt32>.size
        guard let pointer, Int(pointer.pointee.struct_size) > headerSize else {
            return BGRUN_E_INVALID
        }
        guard let reading = AttemptController.shared.device(of: id) else { return BGRUN_E_STATE }
        let size = pointer.pointee.struct_size
        var device = bgrun_device(reading, structSize: size)
        memcpy(pointer, &device, min(Int(size), MemoryLayout<bgrun_device>.size))
        return BGRUN_OK
    }
}

extension [HostMessage.Pending] {
    /// Sorted by identifier, with the last copy of each: a request that is replaced while the host sends its list may
    /// be in two parts of it.
    var newestByIdentifier: [HostMessage.Pending] {
        let order = indices.sorted {
            (self[$0].identifier, $0) < (self[$1].identifier, $1)
        }
        return order.indices.filter { place in
            place + 1 == order.count
                || self[order[place + 1]].identifier != self[order[place]].identifier
        }.map { self[order[$0]] }
    }
}

extension HostMessage.Pending {
    fileprivate func withPending(_ body: (bgrun_pending) -> Void) {
        let tags = Annotations(text: annotations).map { $0.tags.names.joined(separator: " ") } ?? ""
        let texts = CStrings(orNull: [identifier, tags.isEmpty ? nil : tags, parameters])
        withExtendedLifetime(texts) {
            var pending = bgrun_pending()
            pending.struct_size = UInt32(MemoryLayout<bgrun_pending>.size)
            pending.kind = UInt32(kind)  // fits: 8 bits
            pending.identifier = UnsafePointer(texts.pointers[0])
            pending.earliest_unix_ns = earliestUnixNanoseconds
            pending.requires = UInt32(requires)  // fits: 8 bits
            pending.strategy = isOnlyImmediate ? BGRUN_STRATEGY_FAIL : BGRUN_STRATEGY_QUEUE
            pending.tags = UnsafePointer(texts.pointers[1])
            pending.parameters_json = UnsafePointer(texts.pointers[2])
            body(pending)
        }
    }
}

extension bgrun_device {
    fileprivate init(_ device: HostMessage.Device, structSize: UInt32) {
        self.init(
            struct_size: structSize, external_power: Int32(device.externalPower),
            battery_percent: Int32(device.batteryPercent),
            low_power_mode: Int32(device.lowPowerMode), network: Int32(device.network),
            network_metered: Int32(device.networkMetered), user_idle: Int32(device.userIdle),
            thermal_state: Int32(device.thermalState),
            background_refresh: Int32(device.backgroundRefresh))
    }
}
