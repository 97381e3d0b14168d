// SPDX-License-Identifier: Apache-2.0

import BGRunPluginRuntime
import CBGRunPlugin
import Foundation

/// `bgrun.transfer/1` of the host that tests run handlers under.
enum TransferTable {
    nonisolated(unsafe) static let table = ExtensionTables.constant(
        bgrun_transfer_ext(
            struct_size: UInt32(MemoryLayout<bgrun_transfer_ext>.size), reserved: 0,
            create: { task, request, id in
                guard let attempt = SimulatedAttempt.of(task), let request, let id else {
                    return BGRUN_E_INVALID
                }
                return attempt.whileActive { scheduler in
                    switch scheduler.create(PluginTransferRequest(request.pointee)) {
                    case .success(let created):
                        id.pointee = created
                        return BGRUN_OK
                    case .failure(let refusal): return refusal.status
                    }
                }
            },
            resume: { task, id in change(task, id) { $0.transfer.state = .running } },
            suspend: { task, id in change(task, id) { $0.transfer.state = .suspended } },
            cancel: { task, id in
                remove(task, id) { _ in }
            },
            cancel_resumable: { task, id, context, receive in
                remove(task, id) { transfer in
                    guard transfer.received > 0, let data = ResumeData(transfer).encoded else {
                        return
                    }
                    data.withUnsafeBytes { receive?(context, $0.baseAddress, UInt64($0.count)) }
                }
            },
            visit: { task, session, context, visit in
                guard let attempt = SimulatedAttempt.of(task), let visit else {
                    return BGRUN_E_INVALID
                }
                let session = session.map { String(cString: $0) }
                return attempt.whileActive { scheduler in
                    for transfer in scheduler.transfers
                    where session == nil || transfer.session == session {
                        transfer.transfer.withC { visit(context, $0) }
                    }
                    return BGRUN_OK
                }
            },
            events: { task, session, context, finished in
                guard let attempt = SimulatedAttempt.of(task), let finished else {
                    return BGRUN_E_INVALID
                }
                let session = session.map { String(cString: $0) } ?? attempt.identifier
                return attempt.deliver(session) { finished(context, $0) }
            }))

    private static func change(
        _ task: OpaquePointer?, _ id: Int64, _ body: (inout SimulatedTransfer) -> Void
    ) -> Int32 {
        guard let attempt = SimulatedAttempt.of(task) else { return BGRUN_E_INVALID }
        return attempt.whileActive { scheduler in
            scheduler.state.change { state in
                guard let place = state.transfers.firstIndex(where: { $0.id == id }),
                    !state.transfers[place].hasEnded
                else { return BGRUN_E_NOT_FOUND }
                body(&state.transfers[place])
                return BGRUN_OK
            }
        }
    }

    private static func remove(
        _ task: OpaquePointer?, _ id: Int64, _ body: (PluginTransfer) -> Void
    ) -> Int32 {
        var removed: PluginTransfer?
        let status = change(task, id) { removed = $0.transfer }
        guard status == BGRUN_OK, let removed else { return status }
        SimulatedAttempt.of(task)?.scheduler.forget(id)
        body(removed)
        return BGRUN_OK
    }
}

extension SimulatedScheduler {
    struct Refusal: Error {
        let status: Int32
    }

    /// Creates a transfer and returns its id.
    fileprivate func create(_ given: PluginTransferRequest) -> Result<Int64, Refusal> {
        var request = given
        var received: Int64 = 0
        if !request.resumeData.isEmpty {
            guard let data = ResumeData(request.resumeData) else {
                return .failure(Refusal(status: BGRUN_E_INVALID))
            }
            request.url = data.url
            received = data.received
        }
        guard let url = request.url, let scheme = URL(string: url)?.scheme?.lowercased(),
            ["http", "https"].contains(scheme)
        else { return .failure(Refusal(status: BGRUN_E_INVALID)) }
        let isUpload = request.options.contains(.upload)
        if isUpload, !FileManager.default.isReadableFile(atPath: request.file ?? "") {
            return .failure(Refusal(status: BGRUN_E_NOT_FOUND))
        }
        let whole = request
        let offset = received
        return .success(
            state.change { state in
                state.createdTransfers += 1
                var transfer = PluginTransfer(
                    id: state.createdTransfers, session: whole.session, url: url,
                    method: whole.method ?? (isUpload ? "PUT" : "GET"),
                    state: whole.options.contains(.suspended) ? .suspended : .running)
                transfer.options = whole.options.subtracting(.suspended)
                transfer.description = whole.description
                transfer.file = whole.file
                transfer.received = offset
                transfer.resumedAt = offset > 0 ? offset : nil
                if whole.delay > .zero {
                    let date = clock.date.timeIntervalSince1970 + whole.delay.timeInterval
                    transfer.earliestUnixNanoseconds = Int64(date * 1e9)
                }
                state.transfers.append(SimulatedTransfer(request: whole, transfer: transfer))
                return transfer.id
            })
    }

    /// bgrun keeps a file that no delegate has moved; a test only receives a notification.
    fileprivate func noteKept(_ transfer: PluginTransfer, _ file: String) {
        guard transfer.options.contains(.keepsFile), FileManager.default.fileExists(atPath: file)
        else { return }
        PluginRuntime.current.log(
            .warning,
            "The download of \(transfer.url) was not moved in didFinishDownloadingTo; it is kept in "
                + "downloads of the app's state directory")
    }

    fileprivate func forget(_ id: Int64) {
        state.change { $0.transfers.removeAll { $0.id == id } }
    }
}

extension SimulatedAttempt {
    /// Calls `body` unless the attempt is over.
    fileprivate func whileActive(_ body: (SimulatedScheduler) -> Int32) -> Int32 {
        isOver ? BGRUN_E_STATE : body(scheduler)
    }

    /// Delivers ended transfers, as the ABI specifies.
    fileprivate func deliver(
        _ session: String, _ finished: (UnsafePointer<bgrun_transfer>) -> Int32
    ) -> Int32 {
        while true {
            let ended = scheduler.transfers.filter { $0.session == session && $0.hasEnded }
            guard let next = ended.min(by: { ($0.endNumber ?? 0) < ($1.endNumber ?? 0) }) else {
                return BGRUN_OK
            }
            guard !isOver else { return BGRUN_E_STATE }
            let status = next.transfer.withC(finished)
            guard status == BGRUN_OK else { return status }
            guard !isOver else { return BGRUN_E_STATE }
            if next.transfer.options.contains(.temporary), let file = next.transfer.file {
                scheduler.noteKept(next.transfer, file)
                try? FileManager.default.removeItem(atPath: file)
            }
            if let file = next.transfer.answerFile {
                try? FileManager.default.removeItem(atPath: file)
            }
            scheduler.forget(next.id)
        }
    }
}

/// The data to resume a cancelled download with.
private struct ResumeData: Codable {
    let url: String
    let received: Int64

    init(_ transfer: PluginTransfer) {
        url = transfer.url
        received = transfer.received
    }

    init?(_ data: [UInt8]) {
        guard let read = try? JSONDecoder().decode(ResumeData.self, from: Data(data)) else {
            return nil
        }
        self = read
    }

    var encoded: Data? { try? JSONEncoder().encode(self) }
}

extension PluginTransferRequest {
    fileprivate init(_ request: bgrun_transfer_request) {
        self.init(
            session: Self.text(request.session) ?? "", url: Self.text(request.url),
            options: PluginTransfer.Options(rawValue: request.flags))
        method = Self.text(request.method)
        headersJSON = Self.text(request.headers_json)
        file = Self.text(request.file)
        sha256 = Self.text(request.sha256)
        description = Self.text(request.description)
        resumeData = [UInt8](
            UnsafeRawBufferPointer(start: request.resume_data, count: Int(request.resume_size)))
        delay = .nanoseconds(request.earliest_delay_ns)
        requestTimeout = Self.some(request.request_timeout_ns).map { .nanoseconds($0) }
        resourceTimeout = Self.some(request.resource_timeout_ns).map { .nanoseconds($0) }
        expectedToSend = Self.some(request.expected_send)
        expectedToReceive = Self.some(request.expected_receive)
        rate = Self.some(request.rate)
        connections = Self.some(Int64(request.connections)).map { Int($0) }
    }

    private static func some(_ value: Int64) -> Int64? { value == 0 ? nil : value }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        pointer.map { String(cString: $0) }
    }
}

extension PluginTransfer {
    /// Calls `body` with the C form for a plugin, which is only valid during the call.
    fileprivate func withC<Result>(_ body: (UnsafePointer<bgrun_transfer>) -> Result) -> Result {
        var texts: [UnsafeMutablePointer<CChar>] = []
        defer { for text in texts { free(text) } }
        func borrowed(_ text: String?) -> UnsafePointer<CChar>? {
            guard let text, let copy = strdup(text) else { return nil }
            texts.append(copy)
            return UnsafePointer(copy)
        }
        let transfer = bgrun_transfer(
            struct_size: UInt32(MemoryLayout<bgrun_transfer>.size), state: state.rawValue, id: id,
            flags: options.rawValue, error: Int32(failure?.code ?? 0), status: Int32(status ?? 0),
            reserved: 0, session: borrowed(session), url: borrowed(url), method: borrowed(method),
            description: borrowed(description), file: borrowed(file),
            response_url: borrowed(responseURL),
            response_headers_json: borrowed(responseHeadersJSON),
            error_text: borrowed(failure?.text), received: received,
            expected_receive: expectedToReceive ?? -1, sent: sent,
            expected_send: expectedToSend ?? -1, earliest_unix_ns: earliestUnixNanoseconds ?? 0,
            answer_file: borrowed(answerFile), resumed_at: resumedAt ?? -1)
        return withUnsafePointer(to: transfer, body)
    }
}
