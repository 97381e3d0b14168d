// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import Foundation
import Glibc
import Synchronization
import Testing

@testable import BGRunCLI

@Suite("A host that holds its lock and does not listen yet", .timeLimit(.minutes(5)))
struct StartingHostTests {
    /// Counts how often files in a directory are opened.
    private final class Opens {
        private let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        private(set) var count = 0

        init(in directory: String) {
            inotify_add_watch(descriptor, directory, UInt32(IN_OPEN))
        }

        deinit { close(descriptor) }

        func read() {
            var target = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&target, 1, 100) > 0 else { return }
            // An event with a name of up to 15 bytes has 32 bytes.
            var bytes = [UInt8](repeating: 0, count: 4_096)
            count += max(0, Glibc.read(descriptor, &bytes, bytes.count)) / 32
        }
    }

    @Test("is asked again until it listens")
    func starting() throws {
        try withLockedState { state in
            let app = CatalogApp(state: state, answerLimit: .seconds(30))
            let result = Mutex<Result<ControlResponse?, any Error>?>(nil)
            let opens = Opens(in: state.path)
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                let answer = Result { try app.ask(ControlRequest(.watch)) }
                result.withLock { $0 = answer }
                done.signal()
            }
            // The command checks the lock before and after its first request, and again after the second one.
            while opens.count < 3, result.withLock({ $0 }) == nil { opens.read() }
            let listener = SocketName.stream(AF_UNIX)
            defer { close(listener) }
            #expect(SocketName.with(path: state.controlSocket) { bind(listener, $0, $1) } == 0)
            #expect(listen(listener, 1) == 0)
            var target = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            while result.withLock({ $0 }) == nil {
                guard poll(&target, 1, 100) > 0 else { continue }
                let peer = accept(listener, nil, nil)
                var request = [UInt8](repeating: 0, count: 4_096)
                #expect(Glibc.read(peer, &request, request.count) > 0)
                let answer = try JSONEncoder().encode(ControlResponse()) + [UInt8(ascii: "\n")]
                _ = answer.withUnsafeBytes { write(peer, $0.baseAddress, $0.count) }
                close(peer)
            }
            done.wait()
            #expect(try #require(result.withLock { $0 }).get() != nil)
        }
    }

    @Test("is not asked again by a caller that does not wait for it")
    func notAwaited() throws {
        try withLockedState { state in
            // Without a socket the error is immediate; a caller that waits receives it after the limit.
            let app = CatalogApp(state: state, answerLimit: .seconds(40))
            let time = ContinuousClock().measure {
                #expect(throws: HostNotAnswering.self) {
                    _ = try app.ask(ControlRequest(.watch), awaitsStart: false)
                }
            }
            #expect(time < Duration.seconds(20))
        }
    }

    /// The state of the socket's path.
    enum Socket: CaseIterable {
        case missing, deadHosts, removed
    }

    @Test("is reported as starting, unless its socket was removed", arguments: Socket.allCases)
    func told(_ socket: Socket) throws {
        try withLockedState(of: "org.test.\(UUID().uuidString.prefix(8))") { state in
            let listener = socket == .missing ? -1 : try UnixListener.open(state.controlSocket)
            if socket == .deadHosts {
                // A child that another test starts has a copy of the descriptor until its exec.
                shutdown(listener, Int32(SHUT_RDWR))
                close(listener)
            }
            defer { if socket == .removed { close(listener) } }
            if socket == .removed { unlink(state.controlSocket) }
            let expected =
                socket == .removed
                ? "something removed \(state.controlSocket), the socket of the host, process \(getpid())"
                : "process \(getpid()) has locked the app and takes no requests: a host that is starting or "
                    + "ending, or another command"
            // Only one request: the command does not wait for an answer.
            let app = CatalogApp(state: state, answerLimit: .zero)
            let failure = #expect(throws: HostNotAnswering.self) {
                _ = try app.ask(ControlRequest(.watch))
            }
            #expect(
                failure?.message.hasPrefix(expected + "; ") == true, "\(failure?.message ?? "")")
            var overviews: [AppOverview] = []
            let watched = WatchedApp(app, try EventLoop()) { overviews.append($0) }
            watched.start()
            let notices = overviews.map { $0.notices.filter { $0.hasPrefix(expected) }.count }
            #expect(notices == [1], "\(overviews)")
        }
    }
}
