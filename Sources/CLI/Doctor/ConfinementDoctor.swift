// SPDX-License-Identifier: Apache-2.0

import BGRunConfinement
import BGRunSystem
import Glibc

/// Reports the layers of confinement that this machine has, which were tried in a child.
struct ConfinementDoctor {
    let layers: MachineLayers

    /// For this machine without an app.
    static var ofMachine: [DoctorFinding] {
        guard let worker = Installation().worker else { return [] }
        let layers = ConfinementSite(ofMachine: worker).machineLayers()
        return ConfinementDoctor(layers: layers).findings
    }

    /// What works, then what is missing.
    var findings: [DoctorFinding] {
        let found = [
            layers.hasNamespaces ? "namespaces" : nil,
            layers.landlock > 0 ? "Landlock ABI \(layers.landlock): \(landlocked)" : nil,
            layers.hasSeccomp ? "seccomp" : nil,
        ].compactMap(\.self)
        let works: [DoctorFinding] =
            found.isEmpty ? [] : [.ok(.confine, found.joined(separator: "; "))]
        return works + [namespaces, landlock, ports, seccomp].compactMap(\.self)
    }

    private var landlocked: String {
        let all = [
            (1, "files"), (4, "TCP ports"), (6, "signals"), (6, "abstract sockets"),
        ]
        return all.filter { layers.landlock >= $0.0 }.map(\.1).joined(separator: ", ")
    }

    private var namespaces: DoctorFinding? {
        guard let problem = layers.namespaceProblem else { return nil }
        let setting = "kernel.apparmor_restrict_unprivileged_userns"
        let isDenied = [EPERM, EACCES].contains { problem.contains(String(cString: strerror($0))) }
        let isAppArmor =
            isDenied
            && ProcFile.text("/proc/sys/" + setting.replacing(".", with: "/")).hasPrefix("1")
        let prefix = Installation().directory.split(separator: "/").dropLast().joined(
            separator: "/")
        let most = ProcFile.text("/proc/sys/user/max_user_namespaces")
        let next =
            if isAppArmor {
                "sudo install -m 644 /\(prefix)/share/bgrun/bgrun.apparmor /etc/apparmor.d/bgrun && "
                    + "sudo apparmor_parser -r /etc/apparmor.d/bgrun"
            } else if most.hasPrefix("0") {
                "sudo sysctl user.max_user_namespaces=10000"
            } else { "unshare --user --map-current-user --pid --fork --mount-proc true" }
        return .warn(
            .confine, "namespaces do not work: \(problem)",
            "UNIX sockets, names of files and other processes are not hidden; /tmp is the machine's; "
                + "`temporary` and `tasks` have no effect; files have no exceptions in writable "
                + "directories",
            next: next)
    }

    private var landlock: DoctorFinding? {
        guard layers.landlock == 0 else { return nil }
        return .warn(
            .confine, "Landlock is missing or not enabled",
            "TCP ports are not limited, and files "
                + (layers.hasNamespaces ? "only by namespaces" : "neither"),
            next: "cat /sys/kernel/security/lsm")
    }

    private var ports: DoctorFinding? {
        guard layers.landlock > 0, !layers.hasPorts else { return nil }
        return .warn(
            .confine, "Landlock ABI \(layers.landlock) does not limit TCP ports",
            "of `network` in `confine` only `none` and `udp` have an effect: ports need Linux 6.7",
            next: "uname -r")
    }

    private var seccomp: DoctorFinding? {
        guard !layers.hasSeccomp else { return nil }
        return .warn(
            .confine, "seccomp does not work",
            layers.hasNamespaces
                ? "system calls and UDP are not limited"
                : "system calls, UDP and `network: none` are not limited",
            next: "grep Seccomp /proc/self/status")
    }
}

extension ConfinementSite {
    /// A site without an app, to try the layers of this machine.
    init(ofMachine worker: String) {
        self.init(
            user: geteuid(), group: getegid(), homes: [], guarded: [], secrets: [],
            manifestDirectory: "/", state: nil, stateBase: nil, data: [], worker: worker,
            variables: Self.environment)
    }
}
