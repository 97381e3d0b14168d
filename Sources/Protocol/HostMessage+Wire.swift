// SPDX-License-Identifier: Apache-2.0

extension HostMessage {
    /// The message as one frame, ready to be sent.
    package var frame: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .load(let load):
            writer.put(UInt8(0), load.plugin, load.displayPath)
            writer.put(load.app, load.trial, load.device)
        case .launch(let launch): writer.put(UInt8(1), launch)
        case .expire(let expiration):
            writer.put(UInt8(2), expiration.attempt, expiration.reason, expiration.reasonText)
            writer.put(expiration.graceNanoseconds, expiration.deadlineBoottime)
        case .answer(let call, let answer):
            writer.put(UInt8(3), call, answer.status, answer.hasMore)
            writer.write(answer.pending) { writer, item in
                writer.put(item.identifier, item.kind, item.earliestUnixNanoseconds)
                writer.put(item.requires, item.parameters, item.isOnlyImmediate, item.annotations)
            }
            writer.put(answer.id, answer.data)
            writer.write(answer.transfers) { $0.put($1) }
            writer.write(answer.pushes) { $0.put($1) }
        case .device(let device): writer.put(UInt8(4), device)
        }
        return FrameBuffer.frame(writer.bytes)
    }

    package init(payload: ArraySlice<UInt8>) throws(WireError) {
        var reader = WireReader(payload)
        switch try reader.read(UInt8.self) {
        case 0:
            let plugin = try reader.readText()
            let displayPath = try reader.read(String.self)
            let app = try reader.readOptional { reader throws(WireError) in
                try App(from: &reader)
            }
            let trial = try reader.readOptional { reader throws(WireError) in
                Trial(
                    abiVersion: try reader.read(), hasExtensions: try reader.read(),
                    hasLongerStructs: try reader.read())
            }
            let device = try reader.readOptional { reader throws(WireError) in
                try Device(from: &reader)
            }
            self = .load(
                Load(
                    plugin: plugin, displayPath: displayPath, app: app, trial: trial,
                    device: device))
        case 1:
            self = .launch(try Launch(from: &reader))
        case 2:
            self = .expire(
                Expiration(
                    attempt: try reader.read(), reason: try reader.read(),
                    reasonText: try reader.read(), graceNanoseconds: try reader.read(),
                    deadlineBoottime: try reader.read()))
        case 3:
            let call = try reader.read(UInt32.self)
            let status = try reader.read(Int32.self)
            let hasMore = try reader.read(Bool.self)
            let pending = try reader.readArray { reader throws(WireError) in
                Pending(
                    identifier: try reader.read(), kind: try reader.read(),
                    earliestUnixNanoseconds: try reader.read(), requires: try reader.read(),
                    parameters: try reader.readText(), isOnlyImmediate: try reader.read(),
                    annotations: try reader.readText())
            }
            self = .answer(
                call: call,
                Answer(
                    status: status, pending: pending, id: try reader.read(),
                    data: try reader.read(),
                    transfers: try reader.readArray { reader throws(WireError) in
                        try Transfer(from: &reader)
                    },
                    pushes: try reader.readArray { reader throws(WireError) in
                        try Push(from: &reader)
                    }, hasMore: hasMore))
        case 4:
            self = .device(try Device(from: &reader))
        case let tag:
            throw .malformed("host message \(tag) is unknown")
        }
    }
}

extension HostMessage.Trial: WireValue {
    func write(to writer: inout WireWriter) {
        writer.put(abiVersion, hasExtensions, hasLongerStructs)
    }
}

extension HostMessage.App: WireValue {
    func write(to writer: inout WireWriter) {
        writer.put(identifier, manifestDirectory)
        writer.write(permitted) { $0.write($1) }
        writer.write(tasks) { $0.put($1.identifier, $1.kind, $1.requires) }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        identifier = try reader.read()
        manifestDirectory = try reader.read()
        permitted = try reader.readArray { reader throws(WireError) in
            try reader.read(String.self)
        }
        tasks = try reader.readArray { reader throws(WireError) in
            Task(
                identifier: try reader.read(), kind: try reader.read(),
                requires: try reader.read())
        }
    }
}

extension HostMessage.Checkpoint: WireValue {
    func write(to writer: inout WireWriter) { writer.put(version, data) }
}

extension HostMessage.Launch: WireValue {
    func write(to writer: inout WireWriter) {
        writer.put(attempt, identifier, kind, attemptNumber)
        switch action {
        case .handler(let name): writer.put(UInt8(0), name)
        case .foreign(let program):
            writer.put(UInt8(1))
            writer.write(program)
        }
        writer.put(parameters, manifestDirectory, deadlineBoottime)
        writer.put(assertionLimitNanoseconds, device, checkpoint)
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        attempt = try reader.read()
        identifier = try reader.read()
        kind = try reader.read()
        attemptNumber = try reader.read()
        switch try reader.read(UInt8.self) {
        case 0: action = .handler(try reader.read())
        case 1: action = .foreign(try reader.read(ForeignProgram.self))
        case let tag: throw .malformed("action \(tag) is unknown")
        }
        parameters = try reader.read()
        manifestDirectory = try reader.read()
        deadlineBoottime = try reader.read()
        assertionLimitNanoseconds = try reader.read()
        device = try HostMessage.Device(from: &reader)
        checkpoint = try reader.readOptional { reader throws(WireError) in
            HostMessage.Checkpoint(version: try reader.read(), data: try reader.read())
        }
    }
}

extension HostMessage.Device: WireValue {
    func write(to writer: inout WireWriter) {
        writer.put(externalPower, batteryPercent, lowPowerMode, network)
        writer.put(networkMetered, userIdle, thermalState, backgroundRefresh)
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(
            externalPower: try reader.read(), batteryPercent: try reader.read(),
            lowPowerMode: try reader.read(), network: try reader.read(),
            networkMetered: try reader.read(), userIdle: try reader.read(),
            thermalState: try reader.read(), backgroundRefresh: try reader.read())
    }
}
