// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The desktop session of the user this process belongs to, if there is one.
enum Desktop {
    /// Returns when notify-send has ended; immediately without a session bus or notify-send.
    static func show(app: String, title: String, body: String, urgency: String) {
        guard hasSessionBus, let program else { return }
        let arguments = [
            "notify-send", "--app-name=\(app)", "--urgency=\(urgency)", "--",
            title.isEmpty ? app : title, body,
        ]
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var child = pid_t()
        guard posix_spawn(&child, program, &actions, nil, &pointers, environ) == 0 else { return }
        var status: CInt = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
    }

    private static var hasSessionBus: Bool {
        if ProcessInfo.processInfo.environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return true }
        return access("/run/user/\(getuid())/bus", W_OK) == 0
    }

    private static var program: String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/notify-send" }
            .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }
}
