// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import Dispatch
import Glibc
import Synchronization

/// Where threads that have read a request leave its message for the loop's thread, and wait for the
/// answer.
final class WebhookQueue: Sendable {
    typealias Outcome = Result<PushReceipt, PushRefusal>

    /// How long a thread waits.
    private static let patience = DispatchTimeInterval.seconds(20)

    /// Can be read while messages wait.
    let descriptor: Int32
    private let bell: Int32
    private let deliveries = Mutex<[PendingDelivery]>([])

    /// A message that waits for its answer.
    final class PendingDelivery: Sendable {
        let message: Result<PushOffer, PushRefusal>
        private let answer = Mutex<Outcome?>(nil)
        private let isAnswered = DispatchSemaphore(value: 0)

        init(_ message: Result<PushOffer, PushRefusal>) {
            self.message = message
        }

        func give(_ outcome: Outcome) {
            answer.withLock { $0 = outcome }
            isAnswered.signal()
        }

        fileprivate func wait() -> Outcome {
            // What is stored nevertheless is delivered, and sent once more: at least once.
            guard isAnswered.wait(timeout: .now() + WebhookQueue.patience) == .success else {
                return .failure(.unavailable)
            }
            return answer.withLock { $0 } ?? .failure(.unavailable)
        }
    }

    init() throws(SystemFailure) {
        var ends: [Int32] = [-1, -1]
        try SystemFailure.check("pipe", pipe(&ends))
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, bell) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(bell)
    }

    /// Called on any thread but the loop's: blocks until the loop's has answered.
    func deliver(_ message: Result<PushOffer, PushRefusal>) -> Outcome {
        let delivery = PendingDelivery(message)
        deliveries.withLock { $0.append(delivery) }
        // If the pipe is full, a wake-up is already under way.
        _ = write(bell, [UInt8(1)], 1)
        return delivery.wait()
    }

    /// What has come since the last call.
    func take() -> [PendingDelivery] {
        var rings = [UInt8](repeating: 0, count: 256)
        while read(descriptor, &rings, rings.count) > 0 {}
        return deliveries.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
