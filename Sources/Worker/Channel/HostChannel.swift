// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import BGRunSystem
import Glibc

/// The host as seen by a worker: the other end of the control channel.
enum HostChannel {
    private static let turn = Monitor(())

    /// Sends one message; messages of several threads do not mix. Blocks while the host is slow,
    /// and ends this process when the host is gone.
    static func send(_ message: WorkerMessage) {
        let frame = message.cut.frame
        turn.change { _ in
            frame.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let count = Glibc.send(
                        WorkerDescriptor.control, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                    if count > 0 {
                        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                    } else if errno != EINTR {
                        isGone()
                    }
                }
            }
        }
    }

    /// The host has died, or a handler has closed the channel to it: processes started by the
    /// attempt must not outlive it.
    static func isGone() -> Never {
        repeat { ProcessTree.killAll(below: getpid()) } while hasReaped()
        _exit(WorkerMessage.lostChannelExitCode)
    }

    /// Waits until a child has ended; false: none is left. A process that was forked while its parent was being stopped
    /// becomes a child of this process before the end of its parent is reported.
    private static func hasReaped() -> Bool {
        while true {
            let pid = waitpid(-1, nil, 0)
            if pid < 0, errno == EINTR { continue }
            guard pid > 0 else { return false }
            while waitpid(-1, nil, WNOHANG) > 0 {}
            return true
        }
    }
}

extension WorkerMessage {
    /// The maximum of a text in bytes; the host keeps at most as much.
    private static let longestText = 1 << 20

    /// The message with its texts truncated, so that it fits in a frame: foreign functions, paths, and the names of
    /// handlers may make longer ones.
    var cut: WorkerMessage {
        switch self {
        case .refused(let text): .refused(text.cut(to: Self.longestText))
        case .completed(let attempt, let success, let text, let entered):
            .completed(
                attempt: attempt, success: success, message: text?.cut(to: Self.longestText),
                enteredMonotonic: entered)
        case .log(let attempt, let level, let text):
            .log(attempt: attempt, level: level, text: text.cut(to: Self.longestText))
        default: self
        }
    }
}

/// The initial descriptors of a worker, besides the standard three.
enum WorkerDescriptor {
    /// Read by the main thread: plugins to load, attempts to launch.
    static let launch: Int32 = 3
    /// Read by the watcher: expirations and answers. All messages of a worker are written to it.
    static let control: Int32 = 4
    /// The plugin's file, if its digest is pinned; open until it is loaded.
    static let plugin: Int32 = 5
}
