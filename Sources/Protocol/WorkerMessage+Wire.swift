// SPDX-License-Identifier: Apache-2.0

extension WorkerMessage {
    /// The message as one frame, ready to be sent.
    package var frame: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .loaded(let loaded): writer.put(UInt8(0), loaded)
        case .refused(let text): writer.put(UInt8(1), text)
        case .completed(let attempt, let success?, let message, let entered):
            writer.put(UInt8(2), attempt, success, message, entered)
        case .idle(let attempt, let leftovers): writer.put(UInt8(3), attempt, leftovers.rawValue)
        case .progress(let attempt, let completed, let total):
            writer.put(UInt8(4), attempt, completed, total)
        case .title(let attempt, let title, let subtitle):
            writer.put(UInt8(5), attempt, title, subtitle)
        case .log(let attempt, let level, let text): writer.put(UInt8(6), attempt, level, text)
        case .call(let attempt, let id, let call): writer.put(UInt8(7), attempt, id, call)
        case .assertionBegan(let attempt, let id, let name):
            writer.put(UInt8(8), attempt, id, name)
        case .assertionEnded(let attempt, let id): writer.put(UInt8(9), attempt, id)
        case .remark(let attempt, let call, let status):
            writer.put(UInt8(10), attempt, call, status)
        case .registered(let registration): writer.put(UInt8(11), registration)
        case .completed(let attempt, nil, let message, let entered):
            writer.put(UInt8(12), attempt, message, entered)
        case .short(let code): writer.put(UInt8(13), code)
        case .waiting(let attempt, let error): writer.put(UInt8(14), attempt, error)
        }
        return FrameBuffer.frame(writer.bytes)
    }

    package init(payload: ArraySlice<UInt8>) throws(WireError) {
        var reader = WireReader(payload)
        switch try reader.read(UInt8.self) {
        case 0:
            self = .loaded(try Loaded(from: &reader))
        case 1:
            self = .refused(try reader.read())
        case 2:
            self = .completed(
                attempt: try reader.read(), success: try reader.read(Bool.self),
                message: try reader.read(), enteredMonotonic: try reader.read())
        case 3:
            self = .idle(
                attempt: try reader.read(), leftovers: Leftovers(rawValue: try reader.read()))
        case 4:
            self = .progress(
                attempt: try reader.read(), completed: try reader.read(), total: try reader.read())
        case 5:
            self = .title(
                attempt: try reader.read(), title: try reader.read(),
                subtitle: try reader.read())
        case 6:
            self = .log(
                attempt: try reader.read(), level: try reader.read(), text: try reader.read())
        case 7:
            self = .call(
                attempt: try reader.read(), call: try reader.read(), try Call(from: &reader))
        case 8:
            self = .assertionBegan(
                attempt: try reader.read(), id: try reader.read(), name: try reader.read())
        case 9:
            self = .assertionEnded(attempt: try reader.read(), id: try reader.read())
        case 10:
            self = .remark(
                attempt: try reader.read(), call: try reader.read(), status: try reader.read())
        case 11:
            self = .registered(try Registration(from: &reader))
        case 12:
            self = .completed(
                attempt: try reader.read(), success: nil, message: try reader.read(),
                enteredMonotonic: try reader.read())
        case 13:
            self = .short(try reader.read())
        case 14:
            self = .waiting(attempt: try reader.read(), error: try reader.read())
        case let tag:
            throw .malformed("worker message \(tag) is unknown")
        }
    }
}

extension WorkerMessage.Loaded: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.name, $0.version, $0.abiVersion, $0.flags, $0.handlers, $0.registrations)
    }
}

extension WorkerMessage.Request: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.identifier, $0.parameters, $0.delayNanoseconds, $0.requires, $0.kind,
            $0.isOnlyImmediate, $0.annotations
        )
    }
}

extension WorkerMessage.Call: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .submit(let request): writer.put(UInt8(0), request)
        case .cancel(let identifier): writer.put(UInt8(1), identifier)
        case .pending: writer.put(UInt8(2))
        case .putCheckpoint(let version, let data): writer.put(UInt8(3), version, data)
        case .transfer(let call): writer.put(UInt8(4), call)
        case .pushes(let call): writer.put(UInt8(5), call)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .submit(try WorkerMessage.Request(from: &reader))
        case 1: self = .cancel(identifier: try reader.read())
        case 2: self = .pending
        case 3: self = .putCheckpoint(version: try reader.read(), data: try reader.read())
        case 4: self = .transfer(try WorkerMessage.TransferCall(from: &reader))
        case 5: self = .pushes(try WorkerMessage.PushCall(from: &reader))
        case let tag: throw .malformed("call \(tag) is unknown")
        }
    }
}
