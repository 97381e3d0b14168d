// SPDX-License-Identifier: Apache-2.0

import BGRunLoop
import BGRunProcess
import CBGRunShims
import Glibc

/// Starts the processes of the daemon: those that look at a manifest, and hosts.
struct HostProcess {
    /// Of this bgrun.
    let executable: String

    /// The descriptor of the share in a host.
    static let shareDescriptor: Int32 = 3
    /// Who owns no file and runs no other process that could tamper with this one: systemd's list of
    /// user numbers leaves it unused. A file is looked at by it, from a descriptor: it could open none.
    private static let stranger = Account(uid: 61_183, gid: 61_183, name: "61183", groups: [])

    /// Whether this process may run others as other users: it is root, and not of a container that
    /// knows no others.
    static let changesUsers =
        geteuid() == 0
        && ProcFile.text("/proc/self/uid_map").split(separator: "\n").contains { line in
            let fields = line.split(separator: " ").compactMap { UInt64($0) }
            return fields.count == 3 && fields[0] <= UInt64(stranger.uid)
                && UInt64(stranger.uid) < fields[0] + fields[2]
        }

    /// A process that reads a manifest from `file`, and what it says.
    func look(_ arguments: [String], _ file: Int32) throws(SystemFailure) -> (
        pid: pid_t, output: Int32
    ) {
        var ends: [Int32] = [-1, -1]
        try SystemFailure.check("pipe", pipe(&ends))
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
        defer { close(ends[1]) }
        do throws(SystemFailure) {
            // By this name root's executable can be entered also where nobody may search.
            let pid = try start(
                "/proc/self/exe", arguments,
                as: Self.changesUsers ? Self.stranger : nil, [file, ends[1], STDERR_FILENO])
            return (pid, ends[0])
        } catch {
            close(ends[0])
            throw error
        }
    }

    /// A host; `share` is its end of the socket.
    func host(
        _ arguments: [String], as account: Account, share: Int32
    ) throws(SystemFailure) -> pid_t {
        let null = try SystemFailure.check("open", open("/dev/null", O_RDONLY | O_CLOEXEC))
        defer { close(null) }
        return try start(
            executable, arguments, as: Self.changesUsers ? account : nil,
            [null, STDOUT_FILENO, STDERR_FILENO, share])
    }

    private func start(
        _ path: String, _ arguments: [String], as account: Account?, _ descriptors: [Int32]
    ) throws(SystemFailure) -> pid_t {
        let command = CStrings([executable] + arguments)
        let inherited = CStrings.environment
        let environment = CStrings(
            account.map { HostEnvironment.of($0, inherited: inherited) }
                ?? HostEnvironment.own(inherited))
        let count = Int32(descriptors.count)
        let pid = withExtendedLifetime((command, environment)) {
            guard let account else {
                return bgrun_spawn(
                    path, command.pointers, environment.pointers, descriptors, count)
            }
            return account.groups.withUnsafeBufferPointer { groups in
                var rights = bgrun_account(
                    user: account.uid, group: account.gid, groups: groups.baseAddress,
                    group_count: Int32(groups.count))
                return bgrun_spawn_as(
                    &rights, path, command.pointers, environment.pointers, descriptors, count)
            }
        }
        guard pid > 0 else { throw SystemFailure("starting \(executable)", code: -pid) }
        return pid
    }
}
