// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import Glibc

/// The process state that an attempt must not change for the next one.
struct ProcessSnapshot {
    private let mask: mode_t
    private let threads: Int
    private let descriptors: Int
    private let environment: [String]
    private let priority: Int32
    private let dispositions: [UInt]

    /// The signals that a worker uses or that are common in handlers.
    private static let watchedSignals = [
        SIGHUP, SIGINT, SIGTERM, SIGCHLD, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2,
    ]

    /// The present state: after the plugin was loaded, before its first attempt.
    /// - Parameter lent: The number of open descriptors that the first attempt does not keep.
    init(lent: Int) {
        mask = umask(0o022)
        umask(mask)
        threads = Self.threadCount
        descriptors = Self.descriptorCount - lent
        environment = Self.environmentLines.map { String(cString: $0) }
        priority = Self.currentPriority
        dispositions = Self.currentDispositions
    }

    /// Restores the state that a handler may have changed: directory, file mode mask, signal mask.
    func restore(directory: String) {
        chdir(directory)
        umask(mask)
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
    }

    /// The state left behind by the attempt. Children that have ended do not count.
    func leftovers(ignoringThreads: Bool, ignoringDescriptors: Bool) -> WorkerMessage.Leftovers {
        var leftovers: WorkerMessage.Leftovers = []
        if hasChildren { leftovers.insert(.children) }
        if !ignoringThreads, !threadsAreGone { leftovers.insert(.threads) }
        if !ignoringDescriptors, Self.descriptorCount != descriptors {
            leftovers.insert(.descriptors)
        }
        let isSame = Self.environmentLines.elementsEqual(environment) { strcmp($0, $1) == 0 }
        if !isSame || Self.currentPriority != priority || Self.currentDispositions != dispositions {
            leftovers.insert(.process)
        }
        return leftovers
    }

    private static var currentPriority: Int32 { getpriority(Int32(PRIO_PROCESS.rawValue), 0) }

    /// The action of each of the watched signals, as the address of its handler.
    private static var currentDispositions: [UInt] {
        watchedSignals.map { signal in
            var action = sigaction()
            sigaction(signal, nil, &action)
            return withUnsafeBytes(of: action.__sigaction_handler) { $0.load(as: UInt.self) }
        }
    }

    private static var environmentLines: some Sequence<UnsafeMutablePointer<CChar>> {
        sequence(state: environ) { line in
            defer { line += 1 }
            return line.pointee
        }
    }

    private var hasChildren: Bool {
        var status: Int32 = 0
        while true {
            let pid = waitpid(-1, &status, WNOHANG)
            if pid == 0 { return true }
            if pid < 0, errno != EINTR { return false }
        }
    }

    /// The kernel lists a thread for a moment after it was joined.
    private var threadsAreGone: Bool {
        for _ in 0..<50 {
            if Self.threadCount <= threads { return true }
            usleep(100)
        }
        return false
    }

    /// The link count of a directory is the number of its subdirectories plus two.
    private static var threadCount: Int {
        Int(clamping: status(of: "/proc/self/task")?.st_nlink ?? 2) - 2
    }

    private static var descriptorCount: Int {
        // Linux 6.2 returns the number as the size; older kernels return 0.
        if let size = status(of: "/proc/self/fd")?.st_size, size > 0 { return Int(size) }
        guard let directory = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
