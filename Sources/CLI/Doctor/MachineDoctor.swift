// SPDX-License-Identifier: Apache-2.0

import BGRunDevice
import BGRunPolicy
import BGRunSystem
import CBGRunShims
import Glibc

/// Checks of this machine and this bgrun, whatever the app.
struct MachineDoctor {
    let installation = Installation()

    func findings(_ check: DoctorCheck) -> [DoctorFinding] {
        switch check {
        case .installation: [installed]
        case .clock: [clock]
        case .service: [service]
        case .bus: [bus]
        case .inotify: [inotify]
        default: []
        }
    }

    private var installed: DoctorFinding {
        guard let worker = installation.worker else {
            return .fail(
                .installation, "bgrun-worker is missing beside \(installation.directory)/bgrun",
                "no task can be launched", next: "install bgrun as a whole: make install")
        }
        let plugins = installation.plugins
        guard plugins.contains("exec") else {
            return .warn(
                .installation, "the plugins that ship with bgrun are missing",
                "manifests that name them, such as exec, cannot be launched",
                next: "make plugins, or make install")
        }
        return .ok(.installation, "\(worker), plugins: \(plugins.joined(separator: ", "))")
    }

    private var clock: DoctorFinding {
        let now = SystemClock().now.wall
        // bgrun did not exist before.
        guard now.milliseconds > 1_735_689_600_000 else {
            return .fail(
                .clock, "it is \(now.localText)",
                "dates of requests are years in the future",
                next: "timedatectl set-ntp true")
        }
        guard bgrun_clock_is_synchronized() != 0 else {
            return .warn(
                .clock, "it is \(now.localText), and no service synchronizes the clock",
                "when the clock is set, dates move", next: "timedatectl status")
        }
        return .ok(.clock, "it is \(now.localText)")
    }

    /// A link in a `.wants` directory, as `systemctl enable` makes it.
    private var service: DoctorFinding {
        guard access("/run/systemd/system", F_OK) == 0 else {
            return .warn(
                .service, "systemd does not run here",
                "bgrun finds nothing that starts hosts after a restart",
                next: "let your init system, or cron, start: bgrun daemon")
        }
        var places = ["/etc/systemd/system"]
        if let home = getenv("HOME").map({ String(cString: $0) }) {
            places.append("\(home)/.config/systemd/user")
        }
        let units = places.flatMap { place in
            (Directory.names(in: place) ?? []).filter { $0.hasSuffix(".wants") }
                .flatMap { Directory.names(in: "\(place)/\($0)") ?? [] }
        }
        guard let unit = units.first(where: { $0.contains("bgrun") }) else {
            return .warn(
                .service, "no unit of bgrun is enabled",
                "hosts run only when they are started by hand, and not after a restart",
                next: "systemctl enable --now bgrun")
        }
        return .ok(.service, "\(unit) is enabled")
    }

    private var bus: DoctorFinding {
        let variable = getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) }
        let path = variable.map { address in
            String(address.split(separator: "=").last?.prefix { $0 != "," } ?? "")
        }
        let socket = path ?? "/run/dbus/system_bus_socket"
        guard access(socket, R_OK | W_OK) == 0 else {
            return .warn(
                .bus, "the system bus cannot be reached at \(socket)",
                "NetworkManager, logind and UPower cannot be asked: whether the network is metered "
                    + "and whether the device is in use may stay unknown",
                next: "bgrun device")
        }
        if let problem = SystemdLibrary.problem {
            return .warn(
                .bus, "libsystemd cannot be loaded: \(problem)",
                "NetworkManager, logind and UPower cannot be asked, and sleep of the machine is not delayed",
                next: "install libsystemd (Debian: apt-get install libsystemd0)")
        }
        return .ok(.bus, "the system bus is at \(socket)")
    }

    private var inotify: DoctorFinding {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC))
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, inotify_add_watch(descriptor, "/", UInt32(IN_CREATE)) >= 0 else {
            return .fail(
                .inotify, "the kernel takes no more watches: \(String(cString: strerror(errno)))",
                "changes of manifests and files are not noticed",
                next: "sysctl fs.inotify.max_user_instances fs.inotify.max_user_watches")
        }
        return .ok(.inotify, "the kernel takes watches")
    }
}
