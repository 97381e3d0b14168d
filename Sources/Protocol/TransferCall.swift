// SPDX-License-Identifier: Apache-2.0

extension WorkerMessage {
    /// A call of `bgrun.transfer/1`. Texts are within the ABI's limits; the host checks their meaning. A call with the
    /// id of a missing transfer is answered with BGRUN_E_NOT_FOUND.
    package enum TransferCall: Equatable, Sendable {
        /// Answered with `Answer.id`.
        case create(TransferRequest)
        case resume(id: Int64)
        case suspend(id: Int64)
        case cancel(id: Int64)
        /// Answered with `Answer.data`: the data with which a later request resumes, may be empty.
        case cancelResumable(id: Int64)
        /// Answered with `Answer.transfers`, ordered by id, in parts: the transfers that were not acknowledged. Session
        /// nil: all of the app.
        case list(session: String?)
        /// Answered with the first ended transfer of the session that was not acknowledged, or BGRUN_E_NOT_FOUND.
        /// Without `acknowledge`, the next call returns the same one. Session nil: the one with the name of the
        /// attempt's task.
        case nextEnded(session: String?)
        /// The plugin has processed the transfer's end, and its temporary file is removed.
        case acknowledge(id: Int64)
    }

    /// The fields of `bgrun_transfer_request`; 0 and nil have the same meaning.
    package struct TransferRequest: Equatable, Sendable {
        /// `BGRUN_TRANSFER_...`
        package var flags: UInt32 = 0
        package var session: String
        /// nil only with resume data.
        package var url: String?
        package var method: String?
        /// A JSON object of strings.
        package var headers: String?
        package var file: String?
        package var sha256: String?
        package var description: String?
        package var resumeData: [UInt8] = []
        package var earliestDelayNanoseconds: Int64 = 0
        package var requestTimeoutNanoseconds: Int64 = 0
        package var resourceTimeoutNanoseconds: Int64 = 0
        /// Bytes; 0: unknown.
        package var expectedSend: Int64 = 0
        /// Bytes; 0: unknown.
        package var expectedReceive: Int64 = 0
        /// Bytes per second; 0: no limit.
        package var rate: Int64 = 0
        /// To one server at a time; 0: the host's limit.
        package var connections: UInt32 = 0
    }

    /// A call of `bgrun.push/1`.
    package enum PushCall: Equatable, Sendable {
        /// Answered with `Answer.pushes`, the oldest first, in parts: the messages held for the attempt's task when it
        /// was launched.
        case messages
        /// The result of the push, a `BGRUN_FETCH_...`. The worker reports the completion after the answer.
        case result(UInt8)
    }
}

extension WorkerMessage.TransferCall: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .create(let request): writer.put(UInt8(0), request)
        case .resume(let id): writer.put(UInt8(1), id)
        case .suspend(let id): writer.put(UInt8(2), id)
        case .cancel(let id): writer.put(UInt8(3), id)
        case .cancelResumable(let id): writer.put(UInt8(4), id)
        case .list(let session): writer.put(UInt8(5), session)
        case .nextEnded(let session): writer.put(UInt8(6), session)
        case .acknowledge(let id): writer.put(UInt8(7), id)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .create(try WorkerMessage.TransferRequest(from: &reader))
        case 1: self = .resume(id: try reader.read())
        case 2: self = .suspend(id: try reader.read())
        case 3: self = .cancel(id: try reader.read())
        case 4: self = .cancelResumable(id: try reader.read())
        case 5: self = .list(session: try reader.read())
        case 6: self = .nextEnded(session: try reader.read())
        case 7: self = .acknowledge(id: try reader.read())
        case let tag: throw .malformed("transfer call \(tag) is unknown")
        }
    }
}

extension WorkerMessage.TransferRequest: WireRecord {
    package static let layout = Layout(Self.init) {
        (
            $0.flags, $0.session, $0.url, $0.method, $0.headers, $0.file, $0.sha256,
            $0.description, $0.resumeData, $0.earliestDelayNanoseconds,
            $0.requestTimeoutNanoseconds, $0.resourceTimeoutNanoseconds, $0.expectedSend,
            $0.expectedReceive, $0.rate, $0.connections
        )
    }

    package init(session: String, url: String?) {
        self.init(flags: 0, session: session, url: url)
    }
}

extension WorkerMessage.PushCall: WireValue {
    package func write(to writer: inout WireWriter) {
        switch self {
        case .messages: writer.put(UInt8(0))
        case .result(let result): writer.put(UInt8(1), result)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.read(UInt8.self) {
        case 0: self = .messages
        case 1: self = .result(try reader.read())
        case let tag: throw .malformed("push call \(tag) is unknown")
        }
    }
}
