// SPDX-License-Identifier: Apache-2.0

extension HostMessage {
    /// The fields of `bgrun_transfer`; 0, -1 and nil have the same meaning.
    package struct Transfer: Hashable, Sendable {
        package var id: Int64
        /// `BGRUN_TRANSFER_STATE_...`
        package var state: UInt8
        /// `BGRUN_TRANSFER_...`
        package var flags: UInt32 = 0
        /// `BGRUN_TRANSFER_E_...`; 0: none.
        package var error: Int32 = 0
        package var errorText: String?
        /// The status of the last response; 0: none yet.
        package var status: Int32 = 0
        package var session: String
        package var url: String
        package var method: String
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

        package init(id: Int64, state: UInt8, session: String, url: String, method: String) {
            self.id = id
            self.state = state
            self.session = session
            self.url = url
            self.method = method
        }
    }

    /// The fields of `bgrun_push_message`.
    package struct Push: Hashable, Sendable {
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

extension HostMessage.Transfer: WireValue {
    func write(to writer: inout WireWriter) {
        writer.put(id, state, flags, error, status)
        writer.put(session, url, method)
        writer.put(errorText, description, file, responseURL, responseHeaders)
        writer.put(received, expectedReceive, sent, expectedSend, earliestUnixNanoseconds)
        writer.put(answerFile, resumedAt)
    }

    init(from reader: inout WireReader) throws(WireError) {
        id = try reader.read()
        state = try reader.read()
        flags = try reader.read()
        error = try reader.read()
        status = try reader.read()
        session = try reader.read()
        url = try reader.read()
        method = try reader.read()
        errorText = try reader.readText()
        description = try reader.readText()
        file = try reader.readText()
        responseURL = try reader.readText()
        responseHeaders = try reader.readText()
        received = try reader.read()
        expectedReceive = try reader.read()
        sent = try reader.read()
        expectedSend = try reader.read()
        earliestUnixNanoseconds = try reader.read()
        answerFile = try reader.readText()
        resumedAt = try reader.read()
    }
}

extension HostMessage.Push: WireValue {
    func write(to writer: inout WireWriter) {
        writer.put(payload, collapseID, priority, receivedUnixNanoseconds)
    }

    init(from reader: inout WireReader) throws(WireError) {
        payload = try reader.read()
        collapseID = try reader.readText()
        priority = try reader.read()
        receivedUnixNanoseconds = try reader.read()
    }
}
