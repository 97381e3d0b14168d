// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import CBGRunShims
import Glibc

/// Tells the handler that its time is revoked, on a thread of its own: the handler may wait there
/// for answers that the watcher hears.
final class Expirer: Sendable {
    private let expiration: HostMessage.Expiration

    private init(_ expiration: HostMessage.Expiration) { self.expiration = expiration }

    static func start(_ expiration: HostMessage.Expiration) {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Expirer(expiration)).toOpaque()
        pthread_create(
            &thread, nil,
            { context in
                if let context { Unmanaged<Expirer>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            }, context)
        pthread_detach(thread)
    }

    private func run() {
        bgrun_name_thread("bgrun-expirer")
        expiration.reasonText.withCString { text in
            AttemptController.shared.expire(
                expiration.attempt,
                bgrun_expiration(
                    struct_size: UInt32(MemoryLayout<bgrun_expiration>.size),
                    reason: expiration.reason, grace_ns: expiration.graceNanoseconds,
                    deadline_boottime_ns: expiration.deadlineBoottime, reason_text: text))
        }
    }
}
