// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunPolicy
import BGRunStorage
import BGRunSystem
import BGRunTransferIPC
import CBGRunShims
import Glibc

/// The transfer service as a program: `bgrun-transferd STATE_DIRECTORY`.
///
/// Exit codes: 0 there is no work left, it was told to stop, or another one runs; 64 usage, 69 it cannot run.
package enum ServiceMain {
    package static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2, arguments[1].hasPrefix("/") else {
            say("use: bgrun-transferd STATE_DIRECTORY (bgrun starts it)")
            return 64
        }
        do {
            let directory = try stateDirectory(arguments[1])
            return try serve(directory)
        } catch let error as HostLockError {
            if case .held = error { return 0 }
            say(error.message)
        } catch let error as StoreError {
            say(error.message)
        } catch let error as StateDirectoryError {
            say(error.message)
        } catch {
            say("\(error)")
        }
        return 69
    }

    private static func stateDirectory(_ path: String) throws(StateDirectoryError) -> StateDirectory
    {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let directory = try StateDirectory(
            app: name, override: ParentDirectory.of(path) ?? "/", environment: [:],
            userID: geteuid())
        try directory.create()
        return directory
    }

    private static func serve(_ directory: StateDirectory) throws -> Int32 {
        // A closed connection and a file size limit cause errors, not the end of the process. The working directory
        // must not keep a file system busy.
        raiseDescriptorLimit()
        guard chdir("/") == 0 else { throw SystemFailure("chdir", code: errno) }
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        let loop = try EventLoop()
        // Before other threads exist.
        let signals = try SignalSource(loop, [SIGTERM, SIGINT, SIGHUP]) { _ in loop.stop() }
        // A service that is about to end may have missed the work for which this one was started.
        let lock = try HostLock.acquire(
            directory.transferLock,
            as: HostLock.Holder(
                pid: getpid(), started: TransferService.now.wall, manifest: "", version: ""),
            within: .seconds(2))
        mkdir(directory.downloads, 0o700)
        let life = try ServiceLife(loop, directory)
        loop.run()
        life.end()
        withExtendedLifetime(signals) {}
        _ = consume lock
        return 0
    }

    /// Each transfer needs a connection and a file.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// Ends the process with the message of an error, without further writes; other threads may be working.
    static func exit(_ error: StoreError) -> Never {
        say(error.message)
        _exit(69)
    }

    static func say(_ text: String) {
        let line = "bgrun-transferd: \(text)\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
    }
}
