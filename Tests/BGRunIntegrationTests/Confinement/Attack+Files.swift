// SPDX-License-Identifier: Apache-2.0

/// EXPECTATIONS: correct a row here if the promise itself was wrong, with the reason.
extension Attack {
    /// Rows 13 to 18: the store and the state directory, which an empty read-only directory covers.
    static let onStore: [Attack] = [
        Attack(
            "store_read", "ENOENT|EACCES", noNamespaces: "EACCES", noLandlock: "ENOENT|EACCES",
            noSeccomp: "ENOENT|EACCES", control: "done"),
        Attack(
            "store_write", "ENOENT|EACCES", noNamespaces: "EACCES", noLandlock: "ENOENT|EACCES",
            noSeccomp: "ENOENT|EACCES", control: "done"),
        Attack(
            "store_truncate", "ENOENT|EACCES", noNamespaces: .landlock(3, "EACCES"),
            noLandlock: "ENOENT|EACCES", noSeccomp: "ENOENT|EACCES", control: "done"),
        Attack(
            "store_rename", "EROFS|ENOENT|EACCES", noNamespaces: "EACCES",
            noLandlock: "EROFS|ENOENT|EACCES", noSeccomp: "EROFS|ENOENT|EACCES", control: "done"),
        hidden("store_chmod"), hidden("store_utime"), hidden("store_xattr"), hidden("store_stat"),
        Attack(
            "store_link", "ENOENT|EACCES|EXDEV", noNamespaces: "EACCES|EXDEV",
            noLandlock: "ENOENT|EACCES|EXDEV", noSeccomp: "ENOENT|EACCES|EXDEV", control: "done"),
        hidden("state_chmod"),
        Attack(
            "state_create", "EROFS|EACCES", noNamespaces: "EACCES", noLandlock: "EROFS|EACCES",
            noSeccomp: "EROFS|EACCES", control: "done"),
        Attack(
            "state_rename", "EROFS|EBUSY|ENOENT|EACCES", noNamespaces: "EACCES",
            noLandlock: "EROFS|EBUSY|ENOENT|EACCES", noSeccomp: "EROFS|EBUSY|ENOENT|EACCES",
            control: "done"),
    ]

    /// Rows 19 to 21: the manifest, the plugin, and files beside them.
    static let onManifest: [Attack] =
        ["manifest", "plugin"].flatMap { file in
            [
                guarded("\(file)_write", "EROFS"),
                // Landlock does not cover modes.
                Attack(
                    "\(file)_chmod", "EROFS", noLandlock: "EROFS", noSeccomp: "EROFS",
                    control: "done"),
                guarded("\(file)_unlink", "EBUSY"),
                guarded("\(file)_replace", "EBUSY"),
            ]
        } + [
            guarded("manifest_rename", "EBUSY"),
            guarded("manifest_directory_rename", "EROFS|EBUSY"),
            // Allowed, and documented. Without namespaces files beside the manifest cannot be created.
            Attack(
                "hook_write", "done", noNamespaces: "EACCES", noLandlock: "done",
                noSeccomp: "done", control: "done"),
        ]

    /// Files of the user and of the system, and row 32: cgroups.
    static let onSystem: [Attack] = [
        Attack(
            "home_read", "ENOENT|EACCES", noNamespaces: "EACCES", noLandlock: "ENOENT|EACCES",
            noSeccomp: "ENOENT|EACCES", control: "done"),
        // Without namespaces its existence is visible.
        hidden("home_stat"),
        Attack(
            "home_by_link", "ENOENT|EACCES", noNamespaces: "EACCES", noLandlock: "ENOENT|EACCES",
            noSeccomp: "ENOENT|EACCES", control: "done"),
        Attack(
            "home_by_proc", "ENOENT|EACCES", noNamespaces: "EACCES", noLandlock: "ENOENT|EACCES",
            noSeccomp: "ENOENT|EACCES", control: "done"),
        Attack(
            "elsewhere_read", "ENOENT", noNamespaces: "EACCES", noLandlock: "ENOENT",
            noSeccomp: "ENOENT", control: "done"
        ).changed {
            $0.attack = "home_read"
            $0.isElsewhere = true
        },
        Attack(
            "system_write", "EACCES", noNamespaces: "EACCES", noLandlock: "EACCES",
            noSeccomp: "EACCES"
        ).forRoot("EROFS", noNamespaces: "EACCES", noLandlock: "EROFS", noSeccomp: "EROFS"),
        Attack(
            "sysctl_write", "EROFS|EACCES", noNamespaces: "EACCES", noLandlock: "EROFS|EACCES",
            noSeccomp: "EROFS|EACCES"),
        // ENOENT: the kernel has no such file.
        Attack(
            "sysrq_write", "EACCES|ENOENT", noNamespaces: "EACCES|ENOENT",
            noLandlock: "EACCES|ENOENT", noSeccomp: "EACCES|ENOENT"
        ).forRoot(
            "EROFS|EACCES|ENOENT", noLandlock: "EROFS|EACCES|ENOENT",
            noSeccomp: "EROFS|EACCES|ENOENT"),
        // EPERM: the kernel restricts its log itself. ENOENT: a container has no such device.
        Attack(
            "kernel_log", "EACCES|EPERM|ENOENT", noNamespaces: "EACCES|EPERM|ENOENT",
            noSeccomp: "EACCES|EPERM|ENOENT"),
        Attack(
            "make_device", "EACCES|EPERM", noNamespaces: "EACCES|EPERM", noLandlock: "EPERM",
            noSeccomp: "EACCES|EPERM"),
        cgroup("cgroup_move"), cgroup("cgroup_memory"),
        // The user's shared memory. Without namespaces /dev/shm is granted.
        Attack(
            "open_shared_memory", "ENOENT", noLandlock: "ENOENT", noSeccomp: "ENOENT",
            control: "done"),
    ]

    /// What neither Landlock nor the filter covers.
    private static func hidden(_ name: String) -> Attack {
        Attack(
            name, "ENOENT|EROFS|EACCES", noLandlock: "ENOENT|EROFS|EACCES",
            noSeccomp: "ENOENT|EROFS|EACCES", control: "done")
    }

    /// A read-only mount over a file of a writable directory. Landlock alone grants the other files one by one.
    private static func guarded(_ name: String, _ answers: Answers) -> Attack {
        Attack(
            name, answers, noNamespaces: "EACCES", noLandlock: answers, noSeccomp: answers,
            control: "done")
    }

    /// ENOENT: of the root cgroup, or without cgroup v2.
    private static func cgroup(_ name: String) -> Attack {
        always(name, "EROFS|EACCES|ENOENT").forRoot(
            "EROFS|EACCES|ENOENT", noNamespaces: "EACCES|ENOENT", noLandlock: "EROFS|ENOENT",
            noSeccomp: "EROFS|EACCES|ENOENT")
    }
}
