// SPDX-License-Identifier: Apache-2.0

extension HostMessage {
    /// The message as one frame, ready to be sent. One with texts of a manifest, an app or a server may be too large:
    /// see `boundedFrame`.
    package var frame: [UInt8] { FrameBuffer.frame(payload) }

    /// The same; nil if it is larger than a worker accepts.
    package var boundedFrame: [UInt8]? {
        let payload = payload
        return payload.count <= FrameBuffer.largestFrame ? FrameBuffer.frame(payload) : nil
    }

    private var payload: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .load(let load): writer.put(UInt8(0), load)
        case .launch(let launch): writer.put(UInt8(1), launch)
        case .expire(let expiration): writer.put(UInt8(2), expiration)
        case .answer(let call, let answer): writer.put(UInt8(3), call, answer)
        case .device(let device): writer.put(UInt8(4), device)
        }
        return writer.bytes
    }

    package init(payload: ArraySlice<UInt8>) throws(WireError) {
        var reader = WireReader(payload)
        switch try reader.read(UInt8.self) {
        case 0: self = .load(try Load(from: &reader))
        case 1: self = .launch(try Launch(from: &reader))
        case 2: self = .expire(try Expiration(from: &reader))
        case 3: self = .answer(call: try reader.read(), try Answer(from: &reader))
        case 4: self = .device(try Device(from: &reader))
        case let tag: throw .malformed("host message \(tag) is unknown")
        }
    }
}

extension HostMessage.Load: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.plugin, $0.displayPath, $0.app, $0.trial, $0.device, $0.temporary)
    }
}

extension HostMessage.App: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.identifier, $0.manifestDirectory, $0.permitted, $0.tasks)
    }
}

extension HostMessage.App.Task: WireRecord {
    package static let layout = Layout(Self.init) { ($0.identifier, $0.kind, $0.requires) }
}

extension HostMessage.Trial: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.abiVersion, $0.hasExtensions, $0.hasLongerStructs)
    }
}

extension HostMessage.Launch: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.attempt, $0.identifier, $0.kind, $0.attemptNumber, $0.action, $0.parameters,
            $0.manifestDirectory, $0.deadlineBoottime, $0.assertionLimitNanoseconds, $0.device,
            $0.checkpoint, $0.secrets
        )
    }
}

extension HostMessage.Launch.Action: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .handler(let name): writer.put(UInt8(0), name)
        case .foreign(let program): writer.put(UInt8(1), program)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .handler(try reader.read())
        case 1: self = .foreign(try reader.read())
        case let tag: throw .malformed("action \(tag) is unknown")
        }
    }
}

extension HostMessage.Checkpoint: WireRecord {
    package static let layout = Layout(Self.init) { ($0.version, $0.data) }
}

extension HostMessage.Expiration: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.attempt, $0.reason, $0.reasonText, $0.graceNanoseconds, $0.deadlineBoottime)
    }
}

extension HostMessage.Device: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.externalPower, $0.batteryPercent, $0.lowPowerMode, $0.network, $0.networkMetered,
            $0.userIdle, $0.thermalState, $0.backgroundRefresh
        )
    }
}

extension HostMessage.Answer: WireRecord {
    package static let layout = Layout(
        {
            Self(
                status: $0, pending: $2, id: $3, data: $4, transfers: $5, pushes: $6, hasMore: $1)
        },
        { ($0.status, $0.hasMore, $0.pending, $0.id, $0.data, $0.transfers, $0.pushes) })
}

extension HostMessage.Pending: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.identifier, $0.kind, $0.earliestUnixNanoseconds, $0.requires, $0.parameters,
            $0.isOnlyImmediate, $0.annotations
        )
    }
}

extension HostMessage.Launch {
    /// Whether a worker accepts the message. Encodes only large ones: the other texts are paths and identifiers.
    package var fitsInFrame: Bool {
        let length = parameters.utf8.count + (checkpoint?.data.count ?? 0)
        if case .handler = action, length <= FrameBuffer.largestFrame / 2 { return true }
        return HostMessage.launch(self).boundedFrame != nil
    }
}
