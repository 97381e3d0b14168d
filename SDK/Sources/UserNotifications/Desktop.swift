// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// The desktop session of the user this process belongs to, if there is one.
package struct Desktop {
    private let environment: [String: String]
    private let bus: String
    private let limit: DispatchTimeInterval

    /// - Parameters:
    ///   - bus: The socket of the user's session bus, used if the environment names no bus.
    ///   - limit: The time limit of notify-send.
    package init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        bus: String = "/run/user/\(getuid())/bus", limit: DispatchTimeInterval = .seconds(5)
    ) {
        self.environment = environment
        self.bus = bus
        self.limit = limit
    }

    /// Returns when notify-send has ended, and kills it at the limit: its attempt stays open until
    /// then. Returns immediately without a session bus or notify-send.
    package func show(app: String, title: String, body: String, urgency: String) {
        guard let environment = environmentWithBus, let program else { return }
        let arguments = [
            "notify-send", "--app-name=\(app)", "--urgency=\(urgency)", "--",
            title.isEmpty ? app : title, body,
        ]
        var pointers = arguments.map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in pointers + variables { free(pointer) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var child = pid_t()
        guard posix_spawn(&child, program, &actions, nil, &pointers, &variables) == 0 else {
            return
        }
        let kill = DispatchWorkItem { [child] in _ = Glibc.kill(child, SIGKILL) }
        let queue = DispatchQueue(label: "bgrun.notify-send")
        queue.asyncAfter(deadline: .now() + limit, execute: kill)
        // Not reaped yet: until `kill` is cancelled, no other process can have its identifier.
        var information = siginfo_t()
        while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        queue.sync { kill.cancel() }
        var status: CInt = 0
        while waitpid(child, &status, 0) == -1, errno == EINTR {}
    }

    /// With the address of the session bus, which notify-send needs; nil if there is no bus.
    private var environmentWithBus: [String: String]? {
        if environment["DBUS_SESSION_BUS_ADDRESS"] != nil { return environment }
        guard access(bus, W_OK) == 0 else { return nil }
        return environment.merging(["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus)"]) { $1 }
    }

    private var program: String? {
        (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/notify-send" }
            .first { $0.hasPrefix("/") && access($0, X_OK) == 0 }
    }
}
