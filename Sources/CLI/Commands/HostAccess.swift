// SPDX-License-Identifier: Apache-2.0

import BGRunControl
import BGRunEventLoop
import BGRunManifest
import BGRunPolicy
import BGRunProtocol
import BGRunStorage
import BGRunSystem
import Glibc

/// The way from a command to an app: through its host when one runs, else on its store under its lock.
enum HostAccess {
    /// The time a command waits for a host to answer, or for another command to finish.
    static let timeout = Interval.seconds(10)

    /// Asks the running host; nil without a host.
    ///
    /// - Parameter isChange: Whether a stopped host would carry out the request when it continues.
    static func ask(
        _ request: ControlRequest, _ state: StateDirectory, isChange: Bool = false
    ) throws -> ControlResponse? {
        do {
            return try ask(request, state, within: timeout, isChange: isChange) { error in
                if (error as? SystemFailure)?.code == EACCES { throw state.notPermitted() }
                return true
            }
        } catch let failure as HostNotAnswering {
            throw Exit.unavailable.reporting(
                failure.reason
                    ?? HostNotAnswering.defaultMessage
                    + (isChange ? "; it may still carry out the request when it continues" : ""))
        }
    }

    /// The same for a caller that reports itself why a host does not answer: throws `HostNotAnswering`.
    ///
    /// - Parameters:
    ///   - timeout: The time limit of the answer.
    ///   - shouldRetry: Whether to ask again after this error while the lock is held: a host takes the lock
    ///     before it listens, and keeps it after it has stopped listening.
    static func ask(
        _ request: ControlRequest, _ state: StateDirectory, within timeout: Interval,
        isChange: Bool, shouldRetry: (any Error) throws -> Bool
    ) throws -> ControlResponse? {
        let client = ControlClient(path: state.controlSocket, timeout: timeout)
        let deadline = SystemClock().now.elapsed.saturatingAdding(timeout.nanoseconds)
        while true {
            do {
                return try client.ask(request)
            } catch {
                let again = try shouldRetry(error)
                guard try state.hasHost else { return nil }
                guard again, SystemClock().now.elapsed < deadline else {
                    throw HostNotAnswering(state, isChange: isChange, error)
                }
                usleep(10_000)
            }
        }
    }

    /// Has the running host carry out a change; without one, carries it out as a host would.
    /// - Returns: The answer, and whether it comes from a host; throws refusals.
    static func change(
        _ request: ControlRequest, _ manifest: Manifest, _ state: StateDirectory
    ) throws -> (response: ControlResponse, hasHost: Bool) {
        let deadline = SystemClock().now.elapsed.saturatingAdding(timeout.nanoseconds)
        while true {
            if let response = try ask(request, state, isChange: true) {
                return (try response.orRefused(), true)
            }
            do {
                return (try serveOffline(request, manifest, state).orRefused(), false)
            } catch let error as HostLockError {
                // A host has just started, or another command makes a change.
                guard case .held = error, SystemClock().now.elapsed < deadline else { throw error }
            }
        }
    }

    /// Carries out a change under the app's lock.
    private static func serveOffline(
        _ request: ControlRequest, _ manifest: Manifest, _ state: StateDirectory
    ) throws -> ControlResponse {
        try state.create()
        let lock = try HostLock.acquire(
            state.hostLock, as: .me(manifest.absolutePath), ofDirectory: true)
        // This machine's clock must not decide in a simulated year.
        try SimulatedState.check(state, isSimulated: false)
        var host = try OfflineHost(
            request, manifest, try Store.open(state.database, app: manifest.app))
        let response = try host.serve()
        _ = consume lock
        return response
    }
}

extension HostLock.Holder {
    /// This process, on behalf of `manifest`.
    static func me(_ manifest: String) -> Self {
        Self(
            pid: getpid(), started: SystemClock().now.wall, manifest: manifest,
            version: Version.text)
    }
}

/// A host that has locked its app does not answer a request.
struct HostNotAnswering: Error {
    let unreachable: UnreachableHost?
    /// The reason why a host that waits for its store has not answered a change, and the remedy; nil: it
    /// does not wait, or answers nothing at all.
    let storeWait: String?
    /// The refusal of a host with too many connections.
    let refusal: String?

    /// - Parameters:
    ///   - isChange: Whether the answer waits for the store.
    ///   - error: The error of the last attempt to ask it.
    init(_ state: StateDirectory, isChange: Bool, _ error: any Error) {
        refusal = (error as? ControlClient.TooManyConnections)?.message
        unreachable = refusal == nil ? UnreachableHost(state) : nil
        storeWait =
            unreachable == nil && refusal == nil && isChange ? Self.storeWait(state) : nil
    }

    /// The known cause, and the remedy.
    var reason: String? { refusal ?? unreachable?.message ?? storeWait }

    var message: String { reason ?? Self.defaultMessage }

    static let defaultMessage = "the host of this app does not answer; see whether it is stopped"

    private static func storeWait(_ state: StateDirectory) -> String? {
        let client = ControlClient(path: state.controlSocket, timeout: .seconds(2))
        let overview = (try? client.ask(ControlRequest(.watch)))?.overview?.clamped
        return overview?.storeWait(of: state.database, \.localTimeOfDay).map { wait in
            wait
                + "; the host has queued the request and may still accept it. Find the program with "
                + "`fuser -v \(state.database)` or `lsof`, end it, then check `bgrun pending`"
        }
    }
}

/// A process that has locked an app and accepts no requests.
struct UnreachableHost {
    let process: Int32
    /// Whether it is a host without its socket, which was removed.
    let hasLostSocket: Bool
    private let socket: String

    /// Nil when a host listens, or the app is not locked.
    init?(_ state: StateDirectory) {
        guard let holder = try? HostLock.holder(of: state.hostLock) else { return nil }
        process = holder.pid
        socket = state.controlSocket
        // Checked first: a host that begins to listen meanwhile has not lost its socket.
        let wasOpen = UnixListener.isOpen(socket, by: process) ?? true
        let code = UnixListener.connectionError(socket)
        guard [ENOENT, ECONNREFUSED].contains(code) else { return nil }
        // A dead host leaves its socket behind for the next one to replace.
        hasLostSocket = code == ENOENT && wasOpen
    }

    var problem: String {
        hasLostSocket
            ? "something removed \(socket), the socket of the host, process \(process)"
            : "process \(process) has locked the app and takes no requests: a host that is starting or "
                + "ending, or another command"
    }

    var message: String {
        problem
            + (hasLostSocket
                ? "; end the host and start it again"
                : "; try again later, or see whether it is stopped: `ps -o stat,wchan \(process)`")
    }
}
