// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunSystem
import CBGRunShims
import Glibc

/// Starts the processes of the daemon: hosts, and inspections of manifests.
struct HostProcess {
    /// The executable of this bgrun.
    let executable: String

    /// The host's descriptor of the share.
    static let shareDescriptor: Int32 = 3
    /// A user that owns no files and runs no other process that could tamper with this one: systemd's list of
    /// user numbers leaves it unused. Its processes parse files of other users.
    static let stranger: uid_t = 61_183

    /// Whether this process may start others as other users: it is root, and not in a container without other
    /// users.
    static let changesUsers =
        geteuid() == 0
        && ProcFile.text("/proc/self/uid_map").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ").compactMap { UInt64(String($0)) }
            let id = UInt64(stranger)  // fits: an identifier has 32 bits
            return fields.count == 3 && fields[0] <= id && id - fields[0] < fields[2]
        }

    /// The reason why this process, as root, cannot run apps as their users; nil if it can, or need not.
    static var missingRights: String? {
        guard changesUsers else { return nil }
        let effective = ProcFile.text("/proc/self/status").split(separator: "\n")
            .first { $0.hasPrefix("CapEff:") }?.split(separator: "\t").last
            .flatMap { UInt64(String($0), radix: 16) }  // fits: or is nil
        // CAP_SETGID and CAP_SETUID of <linux/capability.h>.
        guard let effective, effective & (1 << 6 | 1 << 7) != 1 << 6 | 1 << 7 else { return nil }
        return "root's daemon runs each app as its user, and this process lacks CAP_SETUID or "
            + "CAP_SETGID; give it both, or run the daemon as the user of its apps"
    }

    /// A process that inspects a manifest, started with the rights of this one, and its output. It
    /// drops the rights itself, once it has opened the file.
    func look(
        _ arguments: [String]
    ) throws(SystemFailure) -> (process: ProcessHandle, output: Int32) {
        let pipe = try ProgramStart.pipe()
        _ = fcntl(pipe.read, F_SETFL, O_NONBLOCK)
        defer { close(pipe.write) }
        do throws(SystemFailure) {
            return (try start(arguments, as: nil, [pipe.write, STDERR_FILENO]), pipe.read)
        } catch {
            close(pipe.read)
            throw error
        }
    }

    /// Starts a host; `share` is its end of the socket.
    func host(
        _ arguments: [String], as account: Account, share: Int32
    ) throws(SystemFailure) -> ProcessHandle {
        try start(
            arguments, as: Self.changesUsers ? account : nil,
            [STDOUT_FILENO, STDERR_FILENO, share])
    }

    /// - Parameter outputs: Its descriptors from standard output on; its standard input is empty.
    private func start(
        _ arguments: [String], as account: Account?, _ outputs: [Int32]
    ) throws(SystemFailure) -> ProcessHandle {
        let null = try SystemFailure.check("open", open("/dev/null", O_RDONLY | O_CLOEXEC))
        defer { close(null) }
        let descriptors = [null] + outputs
        let command = CStrings([executable] + arguments)
        let inherited = CStrings.environment
        let environment = CStrings(
            account.map { HostEnvironment.of($0, inherited: inherited) }
                ?? HostEnvironment.own(inherited))
        let count = Int32(descriptors.count)
        let pid = withExtendedLifetime((command, environment)) {
            guard let account else {
                return bgrun_spawn(
                    executable, command.pointers, environment.pointers, descriptors, count)
            }
            return account.groups.withUnsafeBufferPointer { groups in
                var rights = bgrun_account(
                    user: account.uid, group: account.gid, groups: groups.baseAddress,
                    group_count: Int32(groups.count))
                return bgrun_spawn_as(
                    &rights, executable, command.pointers, environment.pointers, descriptors, count)
            }
        }
        guard pid > 0 else {
            let stopped =
                account != nil && pid == -ETIMEDOUT
                ? " within 2 s (a process of its user may have stopped it; end that process)" : ""
            throw SystemFailure("starting \(executable)\(stopped)", code: -pid)
        }
        guard let process = ProcessHandle.child(pid) else {
            throw SystemFailure("starting \(executable)", code: errno)
        }
        return process
    }
}
