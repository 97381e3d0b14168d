// SPDX-License-Identifier: Apache-2.0

import BGRunInspection
import BGRunProtocol
import BGRunSystem
import CBGRunPlugin
import CBGRunShims
import Glibc

/// One attempt, from its launch message until the worker is idle again.
struct AttemptRun {
    let launch: HostMessage.Launch

    /// Runs the handler and blocks until the attempt is over.
    func run(_ handler: bgrun_handler) {
        begin(expire: handler.expire, userData: handler.user_data, keepsGrace: false)
        let texts = CStrings([launch.identifier, launch.parameters, launch.manifestDirectory])
        withExtendedLifetime(texts) {
            let arguments = bgrun_launch(
                struct_size: UInt32(MemoryLayout<bgrun_launch>.size),
                kind: UInt32(clamping: launch.kind), attempt: launch.attemptNumber, reserved: 0,
                identifier: texts.pointers[0], parameters_json: texts.pointers[1],
                manifest_directory: texts.pointers[2],
                deadline_boottime_ns: launch.deadlineBoottime)
            TrialHost.pass(arguments) {
                handler.launch(
                    handler.user_data, OpaquePointer(bitPattern: Int(launch.attempt)), $0)
            }
            AttemptController.shared.waitUntilOver()
        }
    }

    /// Makes the foreign calls.
    func run(_ program: ForeignProgram) {
        begin(expire: nil, userData: nil, keepsGrace: true)
        let id = launch.attempt
        let interpreter = ForeignInterpreter(
            directory: launch.manifestDirectory,
            log: { level, text in
                HostChannel.send(.log(attempt: id, level: level.rawValue, text: text))
            },
            isExpired: { !AttemptController.shared.isActive(id) },
            objection: { library in
                SharedLibrary.objection(to: library).map {
                    .init(
                        "\($0.reason); \($0.remedy)",
                        shortage: $0.error.flatMap { isShortage($0) ? $0 : nil })
                }
            },
            wait: { HostChannel.send(.waiting(attempt: id, error: $0)) })
        switch interpreter.run(program) {
        case .succeeded(let message):
            _ = AttemptController.shared.complete(id, success: true, message: message)
        case .failed(let message):
            _ = AttemptController.shared.complete(id, success: false, message: message)
        case .refused(let message):
            HostChannel.send(.refused(message))
            _exit(0)
        }
        AttemptController.shared.waitUntilOver()
    }

    private func begin(
        expire: CurrentAttempt.Expire?, userData: UnsafeMutableRawPointer?, keepsGrace: Bool
    ) {
        AttemptController.shared.begin(
            CurrentAttempt(
                id: launch.attempt, expire: expire, userData: userData, keepsGrace: keepsGrace,
                // fits: 8 bits
                isPush: UInt32(launch.kind) == BGRUN_KIND_PUSH, device: launch.device,
                entered: bgrun_monotonic_ns(),
                assertionLimit: launch.assertionLimitNanoseconds,
                timeEnds: launch.deadlineBoottime == 0 ? .max : launch.deadlineBoottime,
                checkpoint: launch.checkpoint))
    }
}
