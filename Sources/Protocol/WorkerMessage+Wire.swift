// SPDX-License-Identifier: Apache-2.0

extension WorkerMessage {
    /// The message as one frame, ready to be sent.
    package var frame: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .loaded(let loaded):
            writer.write(UInt8(0))
            writer.write(loaded.name)
            writer.write(loaded.version) { $0.write($1) }
            writer.write(loaded.abiVersion)
            writer.write(loaded.flags)
            writer.write(loaded.handlers) { $0.write($1) }
            writer.write(loaded.registrations) { $0.write($1) { $1.write(to: &$0) } }
        case .refused(let text):
            writer.write(UInt8(1))
            writer.write(text)
        case .completed(let attempt, let success, let message, let entered):
            writer.write(UInt8(2))
            writer.write(attempt)
            writer.write(success)
            writer.write(message) { $0.write($1) }
            writer.write(entered)
        case .idle(let attempt, let leftovers):
            writer.write(UInt8(3))
            writer.write(attempt)
            writer.write(leftovers.rawValue)
        case .progress(let attempt, let completed, let total):
            writer.write(UInt8(4))
            writer.write(attempt)
            writer.write(completed)
            writer.write(total)
        case .title(let attempt, let title, let subtitle):
            writer.write(UInt8(5))
            writer.write(attempt)
            writer.write(title) { $0.write($1) }
            writer.write(subtitle) { $0.write($1) }
        case .log(let attempt, let level, let text):
            writer.write(UInt8(6))
            writer.write(attempt)
            writer.write(level)
            writer.write(text)
        case .call(let attempt, let id, let call):
            writer.write(UInt8(7))
            writer.write(attempt)
            writer.write(id)
            call.write(to: &writer)
        case .assertionBegan(let attempt, let id, let name):
            writer.write(UInt8(8))
            writer.write(attempt)
            writer.write(id)
            writer.write(name) { $0.write($1) }
        case .assertionEnded(let attempt, let id):
            writer.write(UInt8(9))
            writer.write(attempt)
            writer.write(id)
        case .remark(let attempt, let call, let status):
            writer.write(UInt8(10))
            writer.write(attempt)
            writer.write(call)
            writer.write(status)
        case .registered(let registration):
            writer.write(UInt8(11))
            registration.write(to: &writer)
        case .abandoned(let attempt, let message, let entered):
            writer.write(UInt8(12))
            writer.write(attempt)
            writer.write(message) { $0.write($1) }
            writer.write(entered)
        case .short(let code):
            writer.write(UInt8(13))
            writer.write(code)
        }
        return FrameBuffer.frame(writer.bytes)
    }

    package init(payload: ArraySlice<UInt8>) throws(WireError) {
        var reader = WireReader(payload)
        switch try reader.read(UInt8.self) {
        case 0:
            self = .loaded(
                Loaded(
                    name: try reader.read(), version: try reader.readText(),
                    abiVersion: try reader.read(), flags: try reader.read(),
                    handlers: try reader.readArray { reader throws(WireError) in
                        try reader.read(String.self)
                    },
                    registrations: try reader.readOptional { reader throws(WireError) in
                        try reader.readArray { reader throws(WireError) in
                            try Registration(from: &reader)
                        }
                    }))
        case 1:
            self = .refused(try reader.read())
        case 2:
            self = .completed(
                attempt: try reader.read(), success: try reader.read(),
                message: try reader.readText(), enteredMonotonic: try reader.read())
        case 3:
            self = .idle(
                attempt: try reader.read(), leftovers: Leftovers(rawValue: try reader.read()))
        case 4:
            self = .progress(
                attempt: try reader.read(), completed: try reader.read(), total: try reader.read())
        case 5:
            self = .title(
                attempt: try reader.read(), title: try reader.readText(),
                subtitle: try reader.readText())
        case 6:
            self = .log(
                attempt: try reader.read(), level: try reader.read(), text: try reader.read())
        case 7:
            self = .call(
                attempt: try reader.read(), call: try reader.read(), try Call(from: &reader))
        case 8:
            self = .assertionBegan(
                attempt: try reader.read(), id: try reader.read(), name: try reader.readText())
        case 9:
            self = .assertionEnded(attempt: try reader.read(), id: try reader.read())
        case 10:
            self = .remark(
                attempt: try reader.read(), call: try reader.read(), status: try reader.read())
        case 11:
            self = .registered(try Registration(from: &reader))
        case 12:
            self = .abandoned(
                attempt: try reader.read(), message: try reader.readText(),
                enteredMonotonic: try reader.read())
        case 13:
            self = .short(try reader.read())
        case let tag:
            throw .malformed("worker message \(tag) is unknown")
        }
    }
}

extension WorkerMessage.Call {
    fileprivate func write(to writer: inout WireWriter) {
        switch self {
        case .submit(let request):
            writer.write(UInt8(0))
            writer.write(request.identifier)
            writer.write(request.parameters) { $0.write($1) }
            writer.write(request.delayNanoseconds)
            writer.write(request.requires)
            writer.write(request.kind)
            writer.write(request.isOnlyImmediate)
            writer.write(request.annotations) { $0.write($1) }
        case .cancel(let identifier):
            writer.write(UInt8(1))
            writer.write(identifier)
        case .pending:
            writer.write(UInt8(2))
        case .putCheckpoint(let version, let data):
            writer.write(UInt8(3))
            writer.write(version)
            writer.write(data)
        case .transfer(let call):
            writer.write(UInt8(4))
            call.write(to: &writer)
        case .pushes(let call):
            writer.write(UInt8(5))
            call.write(to: &writer)
        }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0:
            self = .submit(
                WorkerMessage.Request(
                    identifier: try reader.read(), parameters: try reader.readText(),
                    delayNanoseconds: try reader.read(), requires: try reader.read(),
                    kind: try reader.read(), isOnlyImmediate: try reader.read(),
                    annotations: try reader.readText()))
        case 1: self = .cancel(identifier: try reader.read())
        case 2: self = .pending
        case 3: self = .putCheckpoint(version: try reader.read(), data: try reader.read())
        case 4: self = .transfer(try WorkerMessage.TransferCall(from: &reader))
        case 5: self = .pushes(try WorkerMessage.PushCall(from: &reader))
        case let tag: throw .malformed("call \(tag) is unknown")
        }
    }
}
