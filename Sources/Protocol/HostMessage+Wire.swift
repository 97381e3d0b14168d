// SPDX-License-Identifier: Apache-2.0

extension HostMessage {
    /// The message as one frame, ready to be sent.
    package var frame: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .load(let load):
            writer.write(UInt8(0))
            writer.write(load.plugin) { $0.write($1) }
            writer.write(load.displayPath)
            writer.write(load.app) { writer, app in app.write(to: &writer) }
            writer.write(load.trial) { writer, trial in
                writer.write(trial.abiVersion)
                writer.write(trial.hasExtensions)
                writer.write(trial.hasLongerStructs)
            }
        case .launch(let launch):
            writer.write(UInt8(1))
            launch.write(to: &writer)
        case .expire(let expiration):
            writer.write(UInt8(2))
            writer.write(expiration.attempt)
            writer.write(expiration.reason)
            writer.write(expiration.reasonText)
            writer.write(expiration.graceNanoseconds)
            writer.write(expiration.deadlineBoottime)
        case .answer(let call, let answer):
            writer.write(UInt8(3))
            writer.write(call)
            writer.write(answer.status)
            writer.write(answer.hasMore)
            writer.write(answer.pending) { writer, item in
                writer.write(item.identifier)
                writer.write(item.kind)
                writer.write(item.earliestUnixNanoseconds)
                writer.write(item.requires)
                writer.write(item.parameters) { $0.write($1) }
                writer.write(item.isOnlyImmediate)
                writer.write(item.annotations) { $0.write($1) }
            }
            writer.write(answer.id)
            writer.write(answer.data)
            writer.write(answer.transfers) { writer, transfer in transfer.write(to: &writer) }
            writer.write(answer.pushes) { writer, push in push.write(to: &writer) }
        case .device(let device):
            writer.write(UInt8(4))
            device.write(to: &writer)
        }
        return FrameBuffer.frame(writer.bytes)
    }

    package init(payload: ArraySlice<UInt8>) throws(WireError) {
        var reader = WireReader(payload)
        switch try reader.read(UInt8.self) {
        case 0:
            let plugin = try reader.readOptional { reader throws(WireError) in
                try reader.read(String.self)
            }
            let displayPath = try reader.read(String.self)
            let app = try reader.readOptional { reader throws(WireError) in
                try App(from: &reader)
            }
            let trial = try reader.readOptional { reader throws(WireError) in
                Trial(
                    abiVersion: try reader.read(), hasExtensions: try reader.read(),
                    hasLongerStructs: try reader.read())
            }
            self = .load(
                Load(plugin: plugin, displayPath: displayPath, app: app, trial: trial))
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

extension HostMessage.App {
    fileprivate func write(to writer: inout WireWriter) {
        writer.write(identifier)
        writer.write(manifestDirectory)
        writer.write(permitted) { $0.write($1) }
        writer.write(tasks) { writer, task in
            writer.write(task.identifier)
            writer.write(task.kind)
            writer.write(task.requires)
        }
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

extension HostMessage.Launch {
    fileprivate func write(to writer: inout WireWriter) {
        writer.write(attempt)
        writer.write(identifier)
        writer.write(kind)
        writer.write(attemptNumber)
        switch action {
        case .handler(let name):
            writer.write(UInt8(0))
            writer.write(name)
        case .foreign(let program):
            writer.write(UInt8(1))
            writer.write(program)
        }
        writer.write(parameters)
        writer.write(manifestDirectory)
        writer.write(deadlineBoottime)
        writer.write(assertionLimitNanoseconds)
        device.write(to: &writer)
        writer.write(checkpoint) { writer, checkpoint in
            writer.write(checkpoint.version)
            writer.write(checkpoint.data)
        }
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

extension HostMessage.Device {
    fileprivate func write(to writer: inout WireWriter) {
        for reading in [
            externalPower, batteryPercent, lowPowerMode, network, networkMetered, userIdle,
            thermalState, backgroundRefresh,
        ] { writer.write(reading) }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(
            externalPower: try reader.read(), batteryPercent: try reader.read(),
            lowPowerMode: try reader.read(), network: try reader.read(),
            networkMetered: try reader.read(), userIdle: try reader.read(),
            thermalState: try reader.read(), backgroundRefresh: try reader.read())
    }
}
