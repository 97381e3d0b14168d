// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

extension HostTable {
    /// Functions of the process, independent of its attempt.
    nonisolated(unsafe) static let process = constant(
        bgrun_process_ext(
            struct_size: UInt32(MemoryLayout<bgrun_process_ext>.size), reserved: 0,
            submit: { _, request in TrialHost.remark(0, "submit", submit(request, ask)) },
            cancel: { _, identifier in
                guard let identifier else { return BGRUN_E_INVALID }
                return ask(.cancel(identifier: text(identifier, atMost: longestIdentifier))).status
            },
            pending: { _, context, visit in pending(context, visit, ask) },
            observe_device: { _, userData, changed in
                TrialHost.remark(
                    0, "observe_device", AttemptController.shared.observeDevice(userData, changed))
            },
            abandon: { task, message in
                let status = AttemptController.shared.abandon(
                    attempt(task), message: message.map { text($0, atMost: 4_096) })
                return TrialHost.remark(attempt(task), "abandon", status)
            }))

    /// Without an app no host accepts requests.
    private static func ask(_ call: WorkerMessage.Call) -> HostMessage.Answer {
        guard app != nil else { return HostMessage.Answer(status: BGRUN_E_UNAVAILABLE) }
        return AttemptController.shared.callOfProcess(call)
    }
}
