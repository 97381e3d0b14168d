// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

extension HostTable {
    private typealias Visitor =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<bgrun_transfer>?) -> Void
    private typealias Finisher =
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<bgrun_transfer>?) -> Int32
    private typealias Receiver =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer?, UInt64) -> Void

    nonisolated(unsafe) static let transfer = constant(
        bgrun_transfer_ext(
            struct_size: UInt32(MemoryLayout<bgrun_transfer_ext>.size), reserved: 0,
            create: { task, request, id in
                TrialHost.remark(
                    attempt(task), "transfer.create", create(attempt(task), request, id))
            },
            resume: { task, id in ask(task, "transfer.resume", .resume(id: id)) },
            suspend: { task, id in ask(task, "transfer.suspend", .suspend(id: id)) },
            cancel: { task, id in ask(task, "transfer.cancel", .cancel(id: id)) },
            cancel_resumable: { task, id, context, receive in
                TrialHost.remark(
                    attempt(task), "transfer.cancel_resumable",
                    cancelResumable(attempt(task), id, context, receive))
            },
            visit: { task, session, context, visit in
                TrialHost.remark(
                    attempt(task), "transfer.visit",
                    visitAll(attempt(task), session, context, visit))
            },
            events: { task, session, context, finished in
                TrialHost.remark(
                    attempt(task), "transfer.events",
                    events(attempt(task), session, context, finished))
            }))

    private static func ask(
        _ task: OpaquePointer?, _ name: String, _ call: WorkerMessage.TransferCall
    ) -> Int32 {
        let status = AttemptController.shared.call(attempt(task), .transfer(call)).status
        return TrialHost.remark(attempt(task), name, status)
    }

    private static func create(
        _ task: Int64, _ pointer: UnsafePointer<bgrun_transfer_request>?,
        _ id: UnsafeMutablePointer<Int64>?
    ) -> Int32 {
        guard let pointer, let id else { return BGRUN_E_INVALID }
        do throws(TransferReading.Refusal) {
            let request = try TransferReading.request(pointer)
            let answer = AttemptController.shared.call(task, .transfer(.create(request)))
            if answer.status == BGRUN_OK { id.pointee = answer.id }
            return answer.status
        } catch {
            return error.status
        }
    }

    private static func cancelResumable(
        _ task: Int64, _ id: Int64, _ context: UnsafeMutableRawPointer?, _ receive: Receiver?
    ) -> Int32 {
        guard let receive else { return BGRUN_E_INVALID }
        let answer = AttemptController.shared.call(task, .transfer(.cancelResumable(id: id)))
        if answer.status == BGRUN_OK, !answer.data.isEmpty {
            answer.data.withUnsafeBytes { receive(context, $0.baseAddress, UInt64($0.count)) }
        }
        return answer.status
    }

    private static func visitAll(
        _ task: Int64, _ session: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
        _ visit: Visitor?
    ) -> Int32 {
        guard let visit else { return BGRUN_E_INVALID }
        guard let session = sessionName(session) else { return BGRUN_E_TOO_LARGE }
        let answer = AttemptController.shared.call(task, .transfer(.list(session: session)))
        guard answer.status == BGRUN_OK else { return answer.status }
        for transfer in answer.transfers { transfer.pass { visit(context, $0) } }
        return BGRUN_OK
    }

    private static func events(
        _ task: Int64, _ session: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?,
        _ finished: Finisher?
    ) -> Int32 {
        guard let finished else { return BGRUN_E_INVALID }
        guard let session = sessionName(session) else { return BGRUN_E_TOO_LARGE }
        while true {
            let answer = AttemptController.shared.call(
                task, .transfer(.nextEnded(session: session)))
            if answer.status == BGRUN_E_NOT_FOUND { return BGRUN_OK }
            guard answer.status == BGRUN_OK else { return answer.status }
            guard let transfer = answer.transfers.first else { return BGRUN_E_UNAVAILABLE }
            let status = deliver(transfer, of: task) { finished(context, $0) }
            guard status == BGRUN_OK else { return status }
        }
    }

    /// Delivers one ended transfer, and acknowledges it.
    private static func deliver(
        _ transfer: HostMessage.Transfer, of task: Int64,
        to finished: (UnsafePointer<bgrun_transfer>) -> Int32
    ) -> Int32 {
        let isRemoved =
            transfer.flags & (BGRUN_TRANSFER_TEMPORARY | BGRUN_TRANSFER_KEEP)
            == BGRUN_TRANSFER_TEMPORARY
        let file = isRemoved ? transfer.file.flatMap(TemporaryFile.init) : nil
        var status = BGRUN_OK
        transfer.pass { status = finished($0) }
        guard status == BGRUN_OK else { return status }
        // An attempt that has ended cannot acknowledge anything, so the file must stay for the next one.
        guard AttemptController.shared.withCurrent(task, { _ in BGRUN_OK }) == BGRUN_OK else {
            return BGRUN_E_STATE
        }
        file?.remove()
        let answer = AttemptController.shared.call(task, .transfer(.acknowledge(id: transfer.id)))
        // It was acknowledged elsewhere meanwhile.
        return answer.status == BGRUN_E_NOT_FOUND ? BGRUN_OK : answer.status
    }

    /// The requested session, inner nil for NULL; nil for a name that is too long.
    private static func sessionName(_ pointer: UnsafePointer<CChar>?) -> String?? {
        guard let pointer else { return .some(nil) }
        let limit = Int(BGRUN_TRANSFER_SESSION_MAX)
        let name = text(pointer, atMost: limit + 1)
        return name.utf8.count <= limit ? .some(name) : nil
    }
}

extension HostMessage.Transfer {
    /// Calls `body` with the plugin's view of it, which is valid only during the call.
    fileprivate func pass(to body: (UnsafePointer<bgrun_transfer>) -> Void) {
        var texts: [UnsafeMutablePointer<CChar>] = []
        defer { for text in texts { free(text) } }
        func borrowed(_ text: String?) -> UnsafePointer<CChar>? {
            guard let text, let copy = strdup(text) else { return nil }
            texts.append(copy)
            return UnsafePointer(copy)
        }
        let transfer = bgrun_transfer(
            struct_size: UInt32(MemoryLayout<bgrun_transfer>.size), state: UInt32(clamping: state),
            id: id,
            flags: flags, error: error, status: status, reserved: 0, session: borrowed(session),
            url: borrowed(url), method: borrowed(method), description: borrowed(description),
            file: borrowed(file), response_url: borrowed(responseURL),
            response_headers_json: borrowed(responseHeaders), error_text: borrowed(errorText),
            received: received, expected_receive: expectedReceive, sent: sent,
            expected_send: expectedSend, earliest_unix_ns: earliestUnixNanoseconds,
            answer_file: borrowed(answerFile), resumed_at: resumedAt)
        TrialHost.pass(transfer, to: body)
    }
}
