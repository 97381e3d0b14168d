// SPDX-License-Identifier: Apache-2.0

import CBGRunPlugin

/// A download or an upload that continues without the attempt that requested it.
public struct PluginTransferRequest: Hashable, Sendable {
    /// The group it belongs to: when all transfers of a session have ended, the task of that
    /// identifier is launched.
    public var session: String
    /// http or https; nil only with `resumeData`.
    public var url: String?
    public var options: PluginTransfer.Options
    /// nil: GET, or PUT for an upload.
    public var method: String?
    /// A JSON object of strings.
    public var headersJSON: String?
    /// For an upload, the source; for a download, the destination; nil: a temporary file.
    public var file: String?
    /// The SHA-256 of the file, 64 hexadecimal digits; nil: not checked.
    public var sha256: String?
    /// For the plugin's use.
    public var description: String?
    /// The data of a cancelled download, to continue it.
    public var resumeData: [UInt8] = []
    /// The minimum delay.
    public var delay = Duration.zero
    /// The time without a byte after which it is retried; nil: the host's default.
    public var requestTimeout: Duration?
    /// The maximum total time; nil: the host's default.
    public var resourceTimeout: Duration?
    /// Bytes, for planning; nil: unknown.
    public var expectedToSend: Int64?
    /// Bytes, for planning; nil: unknown.
    public var expectedToReceive: Int64?
    /// The maximum rate, in bytes per second; nil: no limit.
    public var rate: Int64?
    /// The maximum number of concurrent transfers per server; nil: the host's default.
    public var connections: Int?

    public init(session: String, url: String?, options: PluginTransfer.Options = []) {
        self.session = session
        self.url = url
        self.options = options
    }
}

/// The state of a transfer.
public struct PluginTransfer: Hashable, Sendable {
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32

        public init(rawValue: UInt32) {
            self.rawValue = rawValue
        }

        /// Sends a file; without this option, downloads one.
        public static let upload = Options(rawValue: BGRUN_TRANSFER_UPLOAD)
        /// Waits for external power and an unmetered network.
        public static let discretionary = Options(rawValue: BGRUN_TRANSFER_DISCRETIONARY)
        /// Waits for an unmetered network.
        public static let noMetered = Options(rawValue: BGRUN_TRANSFER_NO_METERED)
        /// Its end launches nothing.
        public static let noLaunchEvents = Options(rawValue: BGRUN_TRANSFER_NO_LAUNCH_EVENTS)
        /// Does not start before it is resumed.
        public static let suspended = Options(rawValue: BGRUN_TRANSFER_SUSPENDED)
        /// Its file is removed after the acknowledgement of its end.
        public static let temporary = Options(rawValue: BGRUN_TRANSFER_TEMPORARY)
        /// A response of any status ends it successfully, and its body is the file.
        public static let anyStatus = Options(rawValue: BGRUN_TRANSFER_ANY_STATUS)
        /// A temporary file that the app has not moved is kept for the user.
        public static let keepsFile = Options(rawValue: BGRUN_TRANSFER_KEEP)
    }

    /// Apple: URLSessionTask.State.
    public enum State: UInt32, Hashable, Sendable, CaseIterable {
        case running, suspended, canceling, completed
    }

    /// The cause of a failure.
    public struct Failure: Hashable, Sendable {
        /// Apple's URLError.Code if there is an equivalent.
        public var code: Int
        /// For people.
        public var text: String

        public init(code: Int, text: String) {
            self.code = code
            self.text = text
        }
    }

    /// Greater than 0, never reused in this app.
    public var id: Int64
    public var session: String
    public var url: String
    public var method: String
    public var state: State
    public var options: Options = []
    public var failure: Failure?
    /// The status of the last response.
    public var status: Int?
    /// For the plugin's use.
    public var description: String?
    /// Absolute. For an upload, the source; for a download, the present or future destination.
    public var file: String?
    /// The URL after redirects.
    public var responseURL: String?
    /// A JSON object of strings.
    public var responseHeadersJSON: String?
    /// Bytes of the body.
    public var received: Int64 = 0
    /// The total number of bytes; nil: unknown.
    public var expectedToReceive: Int64?
    /// Bytes of the body.
    public var sent: Int64 = 0
    /// The total number of bytes; nil: unknown.
    public var expectedToSend: Int64?
    /// Nanoseconds since 1970.
    public var earliestUnixNanoseconds: Int64?
    /// For an upload: the file with the body of the server's response; nil: none.
    public var answerFile: String?
    /// For a download: the offset at which it resumed; nil: it was not resumed.
    public var resumedAt: Int64?

    public init(id: Int64, session: String, url: String, method: String, state: State) {
        self.id = id
        self.session = session
        self.url = url
        self.method = method
        self.state = state
    }

    /// An older host passes a shorter struct.
    init(copying pointer: UnsafePointer<bgrun_transfer>) {
        var transfer = bgrun_transfer()
        transfer.resumed_at = -1
        let size = min(
            Int(pointer.pointee.struct_size), MemoryLayout<bgrun_transfer>.size)
        withUnsafeMutableBytes(of: &transfer) { bytes in
            bytes.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: size))
        }
        self.init(transfer)
    }

    init(_ transfer: bgrun_transfer) {
        id = transfer.id
        session = Self.text(transfer.session) ?? ""
        url = Self.text(transfer.url) ?? ""
        method = Self.text(transfer.method) ?? ""
        state = State(rawValue: transfer.state) ?? .running
        options = Options(rawValue: transfer.flags)
        failure =
            transfer.error == 0
            ? nil
            : Failure(code: Int(transfer.error), text: Self.text(transfer.error_text) ?? "failed")
        status = transfer.status == 0 ? nil : Int(transfer.status)
        description = Self.text(transfer.description)
        file = Self.text(transfer.file)
        responseURL = Self.text(transfer.response_url)
        responseHeadersJSON = Self.text(transfer.response_headers_json)
        received = transfer.received
        expectedToReceive = transfer.expected_receive < 0 ? nil : transfer.expected_receive
        sent = transfer.sent
        expectedToSend = transfer.expected_send < 0 ? nil : transfer.expected_send
        earliestUnixNanoseconds =
            transfer.earliest_unix_ns == 0 ? nil : transfer.earliest_unix_ns
        answerFile = Self.text(transfer.answer_file)
        resumedAt = transfer.resumed_at < 0 ? nil : transfer.resumed_at
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}
