// SPDX-License-Identifier: Apache-2.0

extension HostMessage {
    /// The fields of `bgrun_transfer`; 0, -1 and nil have the same meaning.
    package struct Transfer: Equatable, Sendable {
        package var id: Int64
        /// `BGRUN_TRANSFER_STATE_...`
        package var state: UInt8
        /// `BGRUN_TRANSFER_...`
        package var flags: UInt32 = 0
        /// `BGRUN_TRANSFER_E_...`; 0: none.
        package var error: Int32 = 0
        /// The status of the last response; 0: none yet.
        package var status: Int32 = 0
        package var session: String
        package var url: String
        package var method: String
        package var errorText: String?
        package var description: String?
        package var file: String?
        package var responseURL: String?
        /// A JSON object of strings.
        package var responseHeaders: String?
        package var received: Int64 = 0
        /// -1: unknown.
        package var expectedReceive: Int64 = -1
        package var sent: Int64 = 0
        /// -1: unknown.
        package var expectedSend: Int64 = -1
        /// 0: none.
        package var earliestUnixNanoseconds: Int64 = 0
        package var answerFile: String?
        /// -1: it was not resumed.
        package var resumedAt: Int64 = -1
    }

    /// The fields of `bgrun_push_message`.
    package struct Push: Equatable, Sendable {
        /// A JSON object with `aps`, its keys sorted.
        package var payload: String
        package var collapseID: String?
        package var priority: UInt8
        package var receivedUnixNanoseconds: Int64

        package init(
            payload: String, collapseID: String?, priority: UInt8, receivedUnixNanoseconds: Int64
        ) {
            self.payload = payload
            self.collapseID = collapseID
            self.priority = priority
            self.receivedUnixNanoseconds = receivedUnixNanoseconds
        }
    }
}

extension HostMessage.Transfer: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.id, $0.state, $0.flags, $0.error, $0.status, $0.session, $0.url, $0.method,
            $0.errorText, $0.description, $0.file, $0.responseURL, $0.responseHeaders,
            $0.received, $0.expectedReceive, $0.sent, $0.expectedSend,
            $0.earliestUnixNanoseconds, $0.answerFile, $0.resumedAt
        )
    }

    package init(id: Int64, state: UInt8, session: String, url: String, method: String) {
        self.init(
            id: id, state: state, flags: 0, session: session, url: url, method: method)
    }
}

extension HostMessage.Push: WireRecord {
    package static let layout = Layout(Self.init) {
        ($0.payload, $0.collapseID, $0.priority, $0.receivedUnixNanoseconds)
    }
}
