// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunSystem
import Glibc

/// What a worker sees of the machine's files: the rules of its profile and of its keys, for the paths that exist.
package struct FileView {
    package private(set) var rules = FileRules()
    /// Granted paths that do not exist.
    package private(set) var missing: [String] = []
    /// Hidden paths that are files.
    private(set) var hiddenFiles: Set<String> = []
    /// Directories that must not be renamed, because something guarded is in them.
    private(set) var pinned: Set<String> = []
    /// Links to shown paths, by their places in hidden directories.
    private(set) var links: [String: String] = [:]
    /// What gives each rule its value.
    private(set) var origins: [String: RuleOrigin] = [:]
    /// The home directories of this machine, also without links.
    let homes: [String]
    let find: (String) -> Place?

    /// A path without links.
    package struct Place: Equatable {
        var path: String
        var isFile: Bool

        package init(path: String, isFile: Bool) {
            self.path = path
            self.isFile = isFile
        }

        /// On this machine; nil: missing.
        package static func find(_ path: String) -> Place? {
            guard let text = realpath(path, nil) else { return nil }
            defer { free(text) }
            var status = stat()
            guard stat(text, &status) == 0 else { return nil }
            return Place(
                path: String(cString: text), isFile: status.st_mode & S_IFMT != S_IFDIR)
        }
    }

    /// Programs, libraries and settings of the machine.
    static let system = [
        "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/etc",
        "/nix/store", "/run/current-system", "/sys/devices", "/sys/fs/cgroup",
        "/sys/kernel/mm/transparent_hugepage", "/sys/class", "/sys/block",
        "/var/lib/ca-certificates",
    ]
    /// To resolve names and to write to the system log.
    static let services = [
        "/etc/resolv.conf", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager",
        "/run/nscd", "/run/systemd/journal", "/dev/log",
    ]
    static let devices = [
        "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom",
    ]
    static let temporary = ["/tmp", "/var/tmp", "/dev/shm"]
    /// Entries of the root that are not hidden as a whole.
    private static let visible: Set<String> = [
        "usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "opt", "etc", "sys", "proc",
    ]
    /// Names that programs expect in /dev.
    private static let deviceLinks = [
        "/dev/fd": "/proc/self/fd", "/dev/stdin": "/proc/self/fd/0",
        "/dev/stdout": "/proc/self/fd/1", "/dev/stderr": "/proc/self/fd/2",
        "/dev/ptmx": "pts/ptmx",
    ]

    /// - Parameters:
    ///   - root: The names in `/`.
    ///   - find: Resolves a path; nil: it is missing.
    package init(
        _ confinement: Confinement, plugin: String?, _ site: ConfinementSite,
        root: [String] = Directory.names(in: "/") ?? [],
        find: @escaping (String) -> Place? = Place.find
    ) {
        self.find = find
        homes = site.homes + site.homes.compactMap { find($0)?.path }
        hideMachine(root, confinement.temporary)
        hide(site.homes + [site.stateBase].compactMap(\.self))
        let isStrict = confinement.profile == .strict
        show(Self.system + (isStrict ? [] : Self.services))
        for program in [site.worker] + (isStrict ? [] : [plugin].compactMap(\.self)) {
            showProgram(program, site)
        }
        if !isStrict { showManifestDirectory(site) }
        show(confinement.read, from: .key("read"))
        show(confinement.sockets, from: .key("sockets"))
        show(confinement.write, writable: true, from: .key("write"))
        show(Self.devices, writable: true)
        show(confinement.devices, writable: true, from: .key("devices"))
        hide(confinement.hide, from: .key("hide"))
        if let state = site.state.flatMap(find) { hideState(state.path) }
        show(site.data, writable: true, from: .data)
        hide(site.secrets, from: .guarded)
        for path in site.guarded + [plugin].compactMap(\.self) { protect(path) }
        for path in pinned.sorted() {
            let origin = rules.nearest(to: path).flatMap { origins[$0.path] } ?? .profile
            set(path, .shown(writable: true, isFile: false), from: origin)
        }
    }

    /// Leaves the programs and settings of the machine, and devices, processes and temporary files of the worker's own.
    private mutating func hideMachine(_ root: [String], _ temporary: Int64) {
        for name in root where !Self.visible.contains(name) && find("/" + name)?.path == "/" + name
        {
            hide(["/" + name])
        }
        for path in Self.temporary {
            if let place = find(path) {
                set(place.path, .temporary(bytes: temporary), from: .profile)
            }
        }
        if find("/proc") != nil { set("/proc", .processes, from: .profile) }
        guard find("/dev") != nil else { return }
        set("/dev/pts", .terminals, from: .profile)
        links.merge(Self.deviceLinks) { first, _ in first }
    }

    private mutating func hide(_ paths: [String], from origin: RuleOrigin = .profile) {
        for path in paths {
            guard let place = find(path), place.path != "/" else { continue }
            set(place.path, .hidden, from: origin)
            if place.isFile {
                hiddenFiles.insert(place.path)
                pinDirectories(of: place.path)
            }
        }
    }

    private mutating func show(
        _ paths: [String], writable: Bool = false, from origin: RuleOrigin = .profile
    ) {
        for path in paths {
            if let place = find(path), place.path != "/" {
                if place.path != path, rules.isHidden(path) { links[path] = place.path }
                guard isReplaceable(rules[place.path], by: origin) else { continue }
                let before = rules[place.path]
                rules.show(place.path, writable: writable, isFile: place.isFile)
                if rules[place.path] != before { origins[place.path] = origin }
            } else if origin.isGrant {
                missing.append(path)
            }
        }
    }

    /// Only a key of the manifest replaces a directory of the worker's own by the machine's; none the processes.
    private func isReplaceable(_ rule: FileRules.Rule?, by origin: RuleOrigin) -> Bool {
        switch rule {
        case .processes, .terminals: false
        case .temporary: origin.isGrant
        case .hidden, .shown, nil: true
        }
    }

    private mutating func set(_ path: String, _ rule: FileRules.Rule, from origin: RuleOrigin) {
        guard rules[path] != rule else { return }
        rules[path] = rule
        origins[path] = origin
    }

    /// No grant below the state applies: its files decide what runs next.
    private mutating func hideState(_ state: String) {
        for path in rules.exceptions(below: state) { rules[path] = nil }
        set(state, .hidden, from: .state)
    }

    /// A program with the libraries beside it.
    private mutating func showProgram(_ path: String, _ site: ConfinementSite) {
        guard let directory = find(path).flatMap({ FileRules.parent(of: $0.path) }) else { return }
        show([isShared(directory, site) ? path : directory])
    }

    /// Read-only: what a handler could write there may run next. An editor that replaces a guarded file removes its
    /// guard from the view of a running worker.
    private mutating func showManifestDirectory(_ site: ConfinementSite) {
        guard let place = find(site.manifestDirectory), !isShared(place.path, site) else { return }
        show([site.manifestDirectory])
    }

    /// Whether a directory contains files of others: homes, temporary files, or the states of apps.
    private func isShared(_ directory: String, _ site: ConfinementSite) -> Bool {
        let others = site.homes + Self.temporary + ["/run", "/dev", "/proc", "/sys", "/var"]
        let base = site.stateBase.flatMap { find($0)?.path }
        return others.contains { path in
            find(path).map { FileRules.contains(directory, $0.path) } ?? false
        } || directory == "/" || base.map { FileRules.contains($0, directory) } ?? false
    }

    /// Keeps a file from being changed, replaced or created: it decides what runs next.
    private mutating func protect(_ path: String) {
        var place = Place(path: "/", isFile: false)
        for name in path.split(separator: "/") {
            let entry = (place.path == "/" ? "" : place.path) + "/" + name
            guard let next = find(entry) else { return protectEntries(of: place.path) }
            // A link can be replaced like a file.
            if next.path != entry { protectEntries(of: place.path) }
            place = next
        }
        guard place.isFile else { return }
        rules[place.path] = .shown(writable: false, isFile: true)
        origins[place.path] = .guarded
        pinDirectories(of: place.path)
    }

    /// Makes a directory read-only that would be writable.
    private mutating func protectEntries(of directory: String) {
        guard case .shown(true, _) = rules.nearest(to: directory)?.rule else { return }
        rules[directory] = .shown(writable: false, isFile: false)
        origins[directory] = .guarded
        pinDirectories(of: directory)
    }

    /// A file is reached by the names of its directories: a mount point cannot be renamed.
    private mutating func pinDirectories(of path: String) {
        var place = path
        while let parent = FileRules.parent(of: place), rules[parent] == nil,
            case .shown(true, _) = rules.nearest(to: parent)?.rule
        {
            pinned.insert(parent)
            place = parent
        }
    }
}

extension FileView {
    /// The paths below `path` that must not have its rights.
    func weaker(below path: String) -> [String] {
        let rule = rules[path] ?? rules.nearest(to: path)?.rule
        return rules.exceptions(below: path).filter { below in
            switch (rule, rules[below]) {
            case (.temporary, .temporary), (.temporary, .shown(true, _)): false
            case (.shown(true, _), .shown(true, _)), (.shown(false, _), .shown): false
            default: true
            }
        }
    }

    /// The entries of a directory.
    func entries(of path: String) -> [Place] {
        (Directory.names(in: path) ?? []).filter { $0 != "." && $0 != ".." }.sorted()
            .compactMap { name in
                let entry = path == "/" ? "/" + name : path + "/" + name
                // A link leads to what has a rule of its own.
                return find(entry).flatMap { $0.path == entry ? $0 : nil }
            }
    }
}

extension FileView {
    /// A path whose last names may be missing.
    struct Resolved: Equatable {
        /// Without links.
        var path: String
        /// The path itself, or the nearest directory above it that exists.
        var existing: String

        var exists: Bool { path == existing }
    }

    func resolve(_ path: String) -> Resolved {
        var (place, rest) = (path, "")
        while true {
            if let found = find(place) {
                let start = found.path == "/" && !rest.isEmpty ? "" : found.path
                return Resolved(path: start + rest, existing: found.path)
            }
            guard let parent = FileRules.parent(of: place) else {
                return Resolved(path: path, existing: "/")
            }
            rest = place.dropFirst(parent == "/" ? 0 : parent.count) + rest
            place = parent
        }
    }
}
