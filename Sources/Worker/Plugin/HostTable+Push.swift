// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSystem
import CBGRunPlugin

extension HostTable {
    nonisolated(unsafe) static let push = constant(
        bgrun_push_ext(
            struct_size: UInt32(MemoryLayout<bgrun_push_ext>.size), reserved: 0,
            messages: { task, context, visit in
                TrialHost.remark(
                    attempt(task), "push.messages", messages(attempt(task), context, visit))
            },
            complete: { task, result in
                TrialHost.remark(attempt(task), "push.complete", complete(attempt(task), result))
            }))

    private static func messages(
        _ id: Int64, _ context: UnsafeMutableRawPointer?,
        _ visit: (
            @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<bgrun_push_message>?) -> Void
        )?
    ) -> Int32 {
        guard let visit else { return BGRUN_E_INVALID }
        var isPush = false
        let status = AttemptController.shared.withCurrent(id) { attempt in
            isPush = attempt.isPush
            return BGRUN_OK
        }
        guard status == BGRUN_OK, isPush else { return status }
        let answer = AttemptController.shared.call(id, .pushes(.messages))
        guard answer.status == BGRUN_OK else { return answer.status }
        for push in answer.pushes { push.pass { visit(context, $0) } }
        return BGRUN_OK
    }

    private static func complete(_ id: Int64, _ result: UInt32) -> Int32 {
        guard result <= BGRUN_FETCH_FAILED else { return BGRUN_E_INVALID }
        // Set first, so that of two reporting threads one is refused before the host receives its
        // result.
        let taken = AttemptController.shared.withCurrent(id) { attempt in
            guard attempt.isPush, !attempt.isReported, !attempt.hasResult else {
                return BGRUN_E_STATE
            }
            attempt.hasResult = true
            return BGRUN_OK
        }
        guard taken == BGRUN_OK else { return taken }
        // A host that cannot record the result still receives success and failure.
        // fits: one of three
        let answer = AttemptController.shared.call(id, .pushes(.result(UInt8(result))))
        return AttemptController.shared.complete(
            id, success: result != BGRUN_FETCH_FAILED,
            message: answer.status == BGRUN_OK ? nil : text(result))
    }

    private static func text(_ result: UInt32) -> String {
        switch result {
        case BGRUN_FETCH_NEW_DATA: "new-data"
        case BGRUN_FETCH_NO_DATA: "no-data"
        default: "failed"
        }
    }
}

extension HostMessage.Push {
    fileprivate func pass(to body: (UnsafePointer<bgrun_push_message>) -> Void) {
        let texts = CStrings(orNull: [payload, collapseID])
        withExtendedLifetime(texts) {
            let message = bgrun_push_message(
                struct_size: UInt32(MemoryLayout<bgrun_push_message>.size),
                priority: UInt32(clamping: priority), payload_json: texts.pointers[0],
                collapse_id: texts.pointers[1], received_unix_ns: receivedUnixNanoseconds)
            TrialHost.pass(message, to: body)
        }
    }
}
