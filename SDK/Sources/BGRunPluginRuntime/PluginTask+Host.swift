// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// A stored checkpoint: bytes with the number of their format.
public struct PluginCheckpoint: Hashable, Sendable {
    public var version: UInt32
    public var data: [UInt8]

    public init(version: UInt32, data: [UInt8]) {
        self.version = version
        self.data = data
    }
}

extension PluginTask {
    /// Progress in units of the handler's choice; a total of 0 or less means unknown.
    public func setProgress(completed: Int64, total: Int64) {
        _ = host.functions.set_progress(handle, max(0, completed), total)
    }

    /// The title and subtitle shown beside the progress; nil leaves one unchanged.
    public func setTitle(_ title: String?, subtitle: String?) {
        _ = host.functions.set_title(handle, title, subtitle)
    }

    /// Writes one line to the host's log.
    public func log(_ level: PluginRuntime.LogLevel, _ message: String) {
        _ = host.functions.log(host.pointer, handle, level.rawValue, message)
    }

    /// The latest device readings from the host; unknown once the attempt has ended.
    public func readDevice() -> PluginDevice {
        host.readDevice(in: handle)
    }

    // MARK: checkpoints

    /// The checkpoint of an earlier attempt, if any.
    public func checkpoint() throws(PluginHostError) -> PluginCheckpoint? {
        guard let get = host.checkpoint?.pointee.get else { return nil }
        var data: [UInt8] = []
        var size: UInt64 = 0
        var version: UInt32 = 0
        var status = get(handle, nil, 0, &size, &version)
        while status == BGRUN_OK, Int(size) != data.count {
            data = [UInt8](repeating: 0, count: Int(size))
            status = get(handle, &data, UInt64(data.count), &size, &version)
        }
        guard status != BGRUN_E_NOT_FOUND else { return nil }
        try PluginHostError.check(status, "the checkpoint of \(identifier) was not read")
        return PluginCheckpoint(version: version, data: data)
    }

    /// Replaces the checkpoint and returns once it is on disk; nil removes it. At most 1 MiB.
    public func putCheckpoint(_ checkpoint: PluginCheckpoint?) throws(PluginHostError) {
        let call = "the checkpoint of \(identifier) was not stored"
        guard let put = host.checkpoint?.pointee.put else {
            throw PluginHostError(.unavailable, "\(call): this host has no checkpoints")
        }
        let data = checkpoint?.data ?? []
        let status = data.withUnsafeBytes { bytes in
            put(handle, checkpoint?.version ?? 0, bytes.baseAddress, UInt64(bytes.count))
        }
        try PluginHostError.check(status, call)
    }

    // MARK: assertions

    /// Keeps the attempt open until `endAssertion`, also after its completion, within the host's
    /// limit; 0 if no time is left.
    public func beginAssertion(_ name: String?) -> Int64 {
        host.assertion?.pointee.begin(handle, name) ?? 0
    }

    /// Ends an assertion; ignores one that is not held, and 0.
    public func endAssertion(_ id: Int64) {
        host.assertion?.pointee.end(handle, id)
    }

    /// The remaining time of the attempt: until it expires, then until SIGTERM, then zero. nil: no
    /// limit.
    public var timeRemaining: Duration? {
        guard let left = host.assertion?.pointee.time_remaining(handle) else {
            return deadline.map { max(.zero, $0 - .now) }
        }
        return left == .max ? nil : .nanoseconds(left)
    }
}
