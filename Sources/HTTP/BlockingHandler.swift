// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import Dispatch
import Glibc
import Synchronization

/// Answers requests on other threads, which may block: one thread per open request. Belongs to the
/// loop's thread.
package final class BlockingHandler {
    private let loop: EventLoop
    private let respond: @Sendable (HTTPRequest) -> HTTPResponse
    private let queue = DispatchQueue(label: "bgrun.requests", attributes: .concurrent)
    private let answers: Answers
    private var waiting: [Int: HTTPGateway.Answerer] = [:]
    private var last = 0

    /// Passes answers from these threads to the loop's.
    private final class Answers: Sendable {
        /// Readable while answers wait.
        let descriptor: Int32
        private let bell: Int32
        private let ready = Mutex<[(number: Int, response: HTTPResponse)]>([])

        init() throws(SystemFailure) {
            (descriptor, bell) = try ProgramStart.pipe()
            for end in [descriptor, bell] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        }

        deinit {
            close(descriptor)
            close(bell)
        }

        func add(_ number: Int, _ response: HTTPResponse) {
            ready.withLock { $0.append((number, response)) }
            // If the pipe is full, a wake-up is already pending.
            _ = write(bell, [UInt8(1)], 1)
        }

        func take() -> [(number: Int, response: HTTPResponse)] {
            var rings = [UInt8](repeating: 0, count: 256)
            while read(descriptor, &rings, rings.count) > 0 {}
            return ready.withLock { ready in
                defer { ready = [] }
                return ready
            }
        }
    }

    package init(
        _ loop: EventLoop, _ respond: @escaping @Sendable (HTTPRequest) -> HTTPResponse
    ) throws(SystemFailure) {
        self.loop = loop
        self.respond = respond
        answers = try Answers()
        try loop.watch(answers.descriptor) { [unowned self] _ in
            for (number, response) in answers.take() {
                waiting.removeValue(forKey: number)?(response)
            }
        }
    }

    deinit { loop.forget(answers.descriptor) }

    package func handle(_ request: HTTPRequest, _ answer: @escaping HTTPGateway.Answerer) {
        last += 1
        waiting[last] = answer
        queue.async { [respond, answers, last] in answers.add(last, respond(request)) }
    }
}
