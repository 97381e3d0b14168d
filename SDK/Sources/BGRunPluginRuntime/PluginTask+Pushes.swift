// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// A silent push that is held for a task.
public struct PluginPushMessage: Hashable, Sendable {
    /// A JSON object with `aps`, as it was sent.
    public var payloadJSON: String
    public var collapseID: String?
    public var priority: Int
    public var receivedUnixNanoseconds: Int64

    public init(
        payloadJSON: String, collapseID: String? = nil, priority: Int = 5,
        receivedUnixNanoseconds: Int64 = 0
    ) {
        self.payloadJSON = payloadJSON
        self.collapseID = collapseID
        self.priority = priority
        self.receivedUnixNanoseconds = receivedUnixNanoseconds
    }
}

/// The result of a push (Apple: UIBackgroundFetchResult).
public enum PluginPushResult: UInt32, Hashable, Sendable, CaseIterable {
    case newData, noData, failed
}

extension PluginTask {
    /// The messages held for this attempt, oldest first; nil if the host does not support pushes,
    /// as before ABI 1.3: the payload is then in the parameters. Blocks.
    public func pushMessages() throws(PluginHostError) -> [PluginPushMessage]? {
        guard let messages = host.push?.pointee.messages else { return nil }
        var found: [PluginPushMessage] = []
        let status = withUnsafeMutablePointer(to: &found) { found in
            messages(handle, found) { context, message in
                guard let context, let message = message?.pointee else { return }
                context.assumingMemoryBound(to: [PluginPushMessage].self).pointee
                    .append(PluginPushMessage(message))
            }
        }
        if status == BGRUN_E_UNAVAILABLE { return nil }
        try PluginHostError.check(status, "the held pushes of \(identifier) were not read")
        return found
    }

    /// Ends an attempt of kind `push`, with success unless it failed. The first report wins and
    /// returns true. Blocks.
    @discardableResult
    public func complete(_ result: PluginPushResult) -> Bool {
        complete { [host, handle] in
            if let complete = host.push?.pointee.complete,
                complete(handle, result.rawValue) == BGRUN_OK
            {
                return
            }
            _ = host.functions.complete(handle, result == .failed ? 0 : 1, result.text)
        }
    }
}

extension PluginPushMessage {
    fileprivate init(_ message: bgrun_push_message) {
        self.init(
            payloadJSON: message.payload_json.map { String(cString: $0) } ?? "{}",
            collapseID: message.collapse_id.map { String(cString: $0) },
            priority: Int(message.priority), receivedUnixNanoseconds: message.received_unix_ns)
    }
}

extension PluginPushResult {
    fileprivate var text: String {
        switch self {
        case .newData: "new data"
        case .noData: "no data"
        case .failed: "failed"
        }
    }
}
