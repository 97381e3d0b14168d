// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunShims
import Glibc

/// Waits until a lock's file is closed: the holder of the lock has it open for writing until then.
struct LockRelease: ~Copyable {
    private let descriptor: Int32
    private let deadline: Int64

    /// The retry interval without a watch, in milliseconds.
    private static let pause: Int32 = 100

    /// - Parameter timeout: The maximum wait from now on; then there is one last try.
    init(_ path: String, within timeout: Interval) {
        descriptor = timeout > .zero ? inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) : -1
        if descriptor >= 0 { _ = inotify_add_watch(descriptor, path, UInt32(IN_CLOSE_WRITE)) }
        deadline = bgrun_monotonic_ns().saturatingAdding(timeout.nanoseconds)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Waits; returns whether another try is worthwhile: the file was closed, and there was time left when the wait
    /// began.
    ///
    /// - Parameter isSeen: Whether the end of the lock closes the file. A holder's directory is unlocked after its file
    ///   was closed.
    borrowing func wait(isSeen: Bool = true) -> Bool {
        let left = deadline - bgrun_monotonic_ns()
        guard left > 0 else { return false }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let time = Int32(clamping: left / 1_000_000 + 1)
        // poll(2) ignores a negative descriptor.
        _ = poll(&request, 1, descriptor < 0 || !isSeen ? min(time, Self.pause) : time)
        var events = [UInt8](repeating: 0, count: 4_096)
        while read(descriptor, &events, events.count) > 0 {}
        return true
    }
}
