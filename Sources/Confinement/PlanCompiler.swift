// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import CBGRunPlan
import Glibc

/// Compiles what bgrun-init does for a worker. Pure: the machine's files and layers are given.
struct PlanCompiler {
    let confinement: Confinement
    let view: FileView
    let site: ConfinementSite
    let layers: MachineLayers
    /// The program of the filter of system calls, `struct sock_filter` each; empty: no filter.
    let filter: [UInt8]
    let isPinned: Bool

    struct Plan: Equatable {
        var bytes: [UInt8]
        var mounts: [String]
        var paths: [String]
        /// The directories of the worker's own.
        var temporary: [String]
    }

    /// Nil if the plan is too large: it names too many paths.
    func plan() -> Plan? {
        var writer = PlanWriter()
        var header = bgrun_plan()
        header.flags = flags
        header.user = site.user
        header.group = site.group
        header.capabilities = site.isRoot ? Self.capabilitiesOfRoot : 0
        let mounts = layers.hasNamespaces ? self.mounts : []
        let paths = layers.landlock > 0 ? self.paths : []
        header.handled_files = layers.landlock > 0 ? handled.rawValue : 0
        header.handled_ports = handledPorts
        header.scoped = layers.landlock >= 6 ? LandlockRights.allScopes : 0
        header.mounts = writer.add(
            mounts.map { mount in
                bgrun_plan_mount(
                    kind: mount.kind.rawValue, flags: mount.flags, path: writer.text(mount.path),
                    target: mount.target.map { writer.text($0) } ?? 0, size: mount.size)
            })
        header.paths = writer.add(
            paths.map {
                bgrun_plan_path(
                    access: $0.access.rawValue, path: writer.text($0.path),
                    flags: BGRUN_MOUNT_OPTIONAL)
            })
        header.ports = writer.add(ports)
        header.limits = writer.add(limits)
        header.filter = writer.add(filter, count: filter.count / Self.instruction)
        header.executable = writer.text(view.find(site.worker)?.path ?? site.worker)
        header.nice = Int32(clamping: confinement.nice)
        guard mounts.count <= Int(BGRUN_PLAN_MOST_MOUNTS), let bytes = writer.bytes(header) else {
            return nil
        }
        let temporary = mounts.filter { $0.size > 0 }.map(\.path)
        return Plan(
            bytes: bytes, mounts: mounts.map(\.path), paths: paths.map(\.path),
            temporary: temporary)
    }

    /// The size of a `struct sock_filter`.
    private static let instruction = 8

    /// CAP_CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID and SETUID: with its own files root can do as before.
    private static let capabilitiesOfRoot: UInt64 =
        1 << 0 | 1 << 1 | 1 << 3 | 1 << 4 | 1 << 5
        | 1 << 6 | 1 << 7

    private var flags: UInt32 {
        var flags: UInt32 = 0
        if layers.hasNamespaces {
            flags |= BGRUN_PLAN_NAMESPACES
            if !site.isRoot { flags |= BGRUN_PLAN_USER_NAMESPACE }
            if confinement.isOffline { flags |= BGRUN_PLAN_NETWORK_NAMESPACE }
        }
        if isPinned { flags |= BGRUN_PLAN_HAS_PLUGIN }
        return flags
    }

    // MARK: Mounts

    private struct Mount {
        var kind: bgrun_plan_mount_kind
        var path: String
        var flags: UInt32 = 0
        var size: UInt64 = 0
        var target: String?
    }

    private var mounts: [Mount] { mountsOfRules + links }

    private var mountsOfRules: [Mount] {
        view.rules.ordered.flatMap { path, rule -> [Mount] in
            switch rule {
            case .hidden:
                let above = covering(path)
                guard above != .hidden else { return [] }
                if case .temporary = above { return [] }
                let isFile = view.hiddenFiles.contains(path)
                return [Mount(kind: isFile ? BGRUN_MOUNT_EMPTY : BGRUN_MOUNT_COVER, path: path)]
            case .temporary(let bytes):
                return [
                    Mount(
                        kind: BGRUN_MOUNT_COVER, path: path, flags: BGRUN_MOUNT_WRITABLE,
                        size: UInt64(clamping: bytes))
                ]
            case .processes: return [Mount(kind: BGRUN_MOUNT_PROC, path: path)]
            case .terminals: return [Mount(kind: BGRUN_MOUNT_PTS, path: path)]
            case .shown(let writable, let isFile):
                guard needsMount(path, writable) else { return [] }
                return [
                    Mount(
                        kind: BGRUN_MOUNT_SHOW, path: path,
                        flags: (writable ? BGRUN_MOUNT_WRITABLE : 0)
                            | (isFile ? BGRUN_MOUNT_FILE : 0))
                ]
            }
        }
    }

    private var links: [Mount] {
        view.links.sorted { $0.key < $1.key }.map {
            Mount(kind: BGRUN_MOUNT_LINK, path: $0.key, target: $0.value)
        }
    }

    private func covering(_ path: String) -> FileRules.Rule? {
        FileRules.parent(of: path).flatMap { view.rules.nearest(to: $0)?.rule }
    }

    /// What is shown for reading is there already, unless something above it is covered or writable.
    private func needsMount(_ path: String, _ writable: Bool) -> Bool {
        if view.pinned.contains(path) { return true }
        switch covering(path) {
        case nil: return writable
        case .shown(let isWritable, _): return writable != isWritable
        case .hidden, .temporary, .processes, .terminals: return true
        }
    }

    // MARK: Landlock

    private var handled: LandlockRights { .handled(abi: layers.landlock) }

    private struct Grant {
        var path: String
        var access: LandlockRights
    }

    private var paths: [Grant] {
        view.rules.ordered.flatMap { path, rule -> [Grant] in
            switch rule {
            case .hidden: return []
            // Without namespaces they are the machine's: programs need places for temporary files.
            case .temporary: return grants(path, .write, isFile: false)
            case .terminals:
                return layers.hasNamespaces ? grants(path, .write, isFile: false) : []
            case .processes: return grants(path, .read, isFile: false)
            case .shown(let writable, let isFile):
                return grants(path, writable ? .write : .read, isFile: isFile)
            }
        }
    }

    /// Without mounts a rule of Landlock has no exceptions: the entries beside them are granted instead.
    private func grants(_ path: String, _ access: LandlockRights, isFile: Bool) -> [Grant] {
        let exceptions = layers.hasNamespaces ? [] : view.weaker(below: path)
        guard !exceptions.isEmpty else {
            let rights = access.intersection(isFile ? .ofFiles : handled).intersection(handled)
            return [Grant(path: path, access: rights)]
        }
        return view.entries(of: path).flatMap { entry -> [Grant] in
            view.rules[entry.path] == nil ? grants(entry.path, access, isFile: entry.isFile) : []
        } + [Grant(path: path, access: [.readDirectory])]
    }

    private var limitsPorts: Bool { layers.hasPorts && !confinement.isOffline }

    private var handledPorts: UInt64 {
        guard limitsPorts else { return 0 }
        return (confinement.network.listen == nil ? 0 : LandlockRights.bind)
            | (confinement.network.connect == nil ? 0 : LandlockRights.connect)
    }

    private var ports: [bgrun_plan_port] {
        guard limitsPorts else { return [] }
        let listen = (confinement.network.listen ?? []).map { ($0, LandlockRights.bind) }
        let connect = (confinement.network.connect ?? []).map { ($0, LandlockRights.connect) }
        return (listen + connect).map {
            bgrun_plan_port(access: $0.1, port: UInt64(clamping: $0.0))
        }
    }

    // MARK: Limits

    private var limits: [bgrun_plan_limit] {
        // 1 byte: for 0, a core_pattern with a program starts it.
        var limits: [(Int32, UInt64)] = [
            (Int32(RLIMIT_CORE.rawValue), 1), (Int32(__RLIMIT_RTPRIO.rawValue), 0),
        ]
        if let files = confinement.files {
            limits.append((Int32(RLIMIT_NOFILE.rawValue), UInt64(clamping: files)))
        }
        if let size = confinement.fileSize {
            limits.append((Int32(RLIMIT_FSIZE.rawValue), UInt64(clamping: size)))
        }
        if let time = confinement.processorTime {
            // The kernel counts whole seconds.
            let seconds = time.nanoseconds.saturatingAdding(999_999_999) / 1_000_000_000
            limits.append((Int32(RLIMIT_CPU.rawValue), UInt64(clamping: seconds)))
        }
        if let tasks = confinement.tasks, layers.limitsTasks(isRoot: site.isRoot) {
            limits.append((Int32(__RLIMIT_NPROC.rawValue), UInt64(clamping: tasks)))
        }
        return limits.map {
            bgrun_plan_limit(resource: UInt32(clamping: $0.0), reserved: 0, value: $0.1)
        }
    }
}
