// SPDX-License-Identifier: Apache-2.0

import BGRunEventLoop
import BGRunProtocol
import BGRunSystem
import CBGRunShims
import Glibc

/// Starts workers.
package struct WorkerSpawn {
    /// The `bgrun-worker` executable.
    let executable: String
    var lineLimit: Int
    /// The data about the app for plugins; nil without a manifest.
    var app: HostMessage.App?
    /// The mark of all processes that workers start.
    var mark: ProcessMark?
    /// The soft limit of open descriptors for workers; nil: this process's own.
    var descriptorLimit: UInt64?

    /// Reserved descriptors: control requests, the store and `/proc` lookups need them.
    static let reservedDescriptors: Int64 = 24

    package init(executable: String, lineLimit: Int, app: HostMessage.App? = nil) {
        self.executable = executable
        self.lineLimit = lineLimit
        self.app = app
    }

    /// Starts a worker and sends it the plugin to load, and the host if it is a trial.
    package func start(
        _ key: WorkerKey, _ image: PluginImage?, trial: HostMessage.Trial? = nil,
        device: HostMessage.Device? = nil, plan: WorkerPlan? = nil
    ) throws(SystemFailure) -> WorkerProcess {
        guard let message = load(image, trial, device, plan).boundedFrame else {
            throw SystemFailure("the identifiers in the manifest", code: EMSGSIZE)
        }
        var ours: [Int32] = []
        var theirs: [Int32] = []
        defer { for descriptor in theirs { close(descriptor) } }
        do throws(SystemFailure) {
            for _ in 0..<2 { Self.append(try ProgramStart.socketPair(), &ours, &theirs) }
            for _ in 0..<2 { Self.append(try ProgramStart.pipe(), &ours, &theirs) }
            theirs.append(try SystemFailure.check("open", open("/dev/null", O_RDONLY | O_CLOEXEC)))
            if let plan { try Self.append(plan, &ours, &theirs) }
            // The kernel assigns the lowest free number: all lower ones are in use.
            let limit = bgrun_limit_descriptors(0, 0)
            if limit > 2 * Self.reservedDescriptors,
                Int64((ours + theirs).max() ?? 0) >= limit - Self.reservedDescriptors
            {
                throw SystemFailure("starting a worker", code: EMFILE)
            }
            precondition(
                plan == nil ? ours.count == 4 && theirs.count == 5 : ours.count == 5,
                "a worker has two sockets and two pipes, and bgrun-init one socket more")
            var passed = [theirs[4], theirs[2], theirs[3], theirs[0], theirs[1]]
            if let pinned = image?.descriptor { passed.append(pinned) }
            if plan != nil {
                // bgrun-init closes what is in the plugin's place.
                if image?.descriptor == nil { passed.append(theirs[4]) }
                passed += theirs[5...]
            }
            let pid = try spawn(key, plan, passed)
            guard let handle = ProcessHandle.child(pid) else {
                throw SystemFailure("starting a worker", code: errno)
            }
            guard let identity = ProcessIdentity(of: pid) else {
                handle.signal(SIGKILL)
                throw SystemFailure("/proc/\(pid)/stat", code: EMFILE)
            }
            if plan == nil, let descriptorLimit {
                _ = bgrun_limit_descriptors(pid, descriptorLimit)
            }
            let worker = WorkerProcess(
                key: key, identity: identity, handle: handle, launch: ours[0], control: ours[1],
                output: ours[2], error: ours[3], lineLimit: lineLimit,
                link: plan.map { InitLink(ours[4], $0) })
            worker.launch.send(message)
            return worker
        } catch {
            for descriptor in ours { close(descriptor) }
            throw error
        }
    }

    private func load(
        _ image: PluginImage?, _ trial: HostMessage.Trial?, _ device: HostMessage.Device?,
        _ plan: WorkerPlan?
    ) -> HostMessage {
        guard let image else {
            return .load(
                HostMessage.Load(
                    plugin: nil, displayPath: "foreign functions", temporary: plan?.temporary ?? [])
            )
        }
        let path = image.descriptor == nil ? image.path : "/proc/self/fd/\(Self.pinnedDescriptor)"
        return .load(
            HostMessage.Load(
                plugin: path, displayPath: image.displayPath, app: app, trial: trial,
                device: device, temporary: plan?.temporary ?? []))
    }

    private static let pinnedDescriptor = 5

    private func spawn(
        _ key: WorkerKey, _ plan: WorkerPlan?, _ descriptors: [Int32]
    ) throws(SystemFailure) -> pid_t {
        // In a session of its own: the kernel sends SIGHUP to a process group with a stopped process when its last tie
        // to the session ends, which is the host.
        // The plugin's name appears in ps and top.
        let arguments = [key.plugin ?? "foreign"]
        var changes = key.environment
        changes[ProcessMark.variable] = mark?.value
        guard let plan else {
            return try ProgramStart.spawn(
                executable, arguments, environment: Self.environment(over: changes), descriptors,
                startsSession: true)
        }
        let variables = plan.environment.merging(changes) { $1 }
        return try ProgramStart.spawn(
            initExecutable, name: executable, arguments,
            environment: Self.lines(of: variables), descriptors, startsSession: true)
    }

    /// bgrun-init is beside bgrun-worker.
    private var initExecutable: String {
        executable.lastIndex(of: "/").map { executable[...$0] + "bgrun-init" } ?? "bgrun-init"
    }

    /// bgrun-init's plan and the socket of its reports.
    private static func append(
        _ plan: WorkerPlan, _ ours: inout [Int32], _ theirs: inout [Int32]
    ) throws(SystemFailure) {
        let file = plan.bytes.withUnsafeBytes {
            bgrun_sealed_file("bgrun-plan", $0.baseAddress, $0.count)
        }
        guard file >= 0 else { throw SystemFailure("memfd_create", code: -file) }
        theirs.append(file)
        append(try ProgramStart.socketPair(SOCK_SEQPACKET), &ours, &theirs)
    }

    private static func environment(over changes: [String: String]) -> [String] {
        let kept = CStrings.environment.filter { line in
            changes[String(line.prefix { $0 != "=" })] == nil
        }
        return kept + lines(of: changes)
    }

    private static func lines(of variables: [String: String]) -> [String] {
        variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    }

    private static func append(
        _ ends: (Int32, Int32), _ ours: inout [Int32], _ theirs: inout [Int32]
    ) {
        let (our, their) = ends
        _ = fcntl(our, F_SETFL, O_NONBLOCK)
        ours.append(our)
        theirs.append(their)
    }
}
