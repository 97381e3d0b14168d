// SPDX-License-Identifier: Apache-2.0

/// The environment of a host.
enum HostEnvironment {
    /// The service manager's variables, which are only meant for the daemon.
    private static let ofTheManager: Set<Substring> = [
        "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS",
        "LISTEN_FDNAMES", "MAINPID", "MANAGERPID", "CREDENTIALS_DIRECTORY",
    ]

    /// The environment of a host of the daemon's own user.
    static func own(_ inherited: [String]) -> [String] {
        inherited.filter { !ofTheManager.contains(name(of: $0)) }
    }

    /// The environment of a host of `account`: its own, as at a login; of root's, only the variables
    /// about the machine.
    static func of(_ account: Account, inherited: [String]) -> [String] {
        let path =
            account.uid == 0
            ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
            : "/usr/local/bin:/usr/bin:/bin"
        return [
            "HOME=\(account.home)", "USER=\(account.name)", "LOGNAME=\(account.name)",
            "SHELL=\(account.shell)", "PATH=\(path)",
        ] + own(inherited).filter { isOfTheMachine(name(of: $0)) }
    }

    private static func isOfTheMachine(_ name: Substring) -> Bool {
        ["LANG", "TZ", "JOURNAL_STREAM", "INVOCATION_ID", "DBUS_SYSTEM_BUS_ADDRESS"].contains(name)
            || name.hasPrefix("LC_") || name.hasPrefix("BGRUN_")
    }

    private static func name(of variable: String) -> Substring {
        variable.prefix { $0 != "=" }
    }
}
