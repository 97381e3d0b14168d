// SPDX-License-Identifier: Apache-2.0

/// The keys one kind of mapping of the manifest may have: the whole vocabulary of schema version 1.
///
/// The reader refuses every other key, Docs/manifest.md documents these and
/// manifests/bgrun-manifest-1.schema.json lists these; tests hold the three together.
package struct Section: Sendable {
    /// The mapping, for a message: "the manifest", "`retry`", ...
    package let name: String
    package let keys: [String]
    package let required: [String]
    /// The document that explains the keys.
    package let document: String
    /// What to write for a key that belongs elsewhere or has another name here.
    let remedies: [String: String]

    package init(
        name: String, keys: [String], required: [String] = [],
        document: String = "Docs/manifest.md", remedies: [String: String] = [:]
    ) {
        self.name = name
        self.keys = keys
        self.required = required
        self.document = document
        self.remedies = remedies
    }

    private static let taskRemedies = [
        "timeout": "write `expiration: {after: 5m}`", "env": "write `environment: {NAME: value}`",
        "power": "write `requires: {power: external}`",
        "network": "write `requires: {network: any}`",
        "path": "write `on: {path: ...}`", "socket": "write `on: {socket: ...}`",
        "grace": "write `expiration: {grace: 5s}`",
    ].merging(
        ["command", "argv", "directory", "input", "stdin", "success_codes", "expire_signal"].map {
            ($0, "put it under `parameters`")
        }
    ) { first, _ in first }

    /// The remedies for parameters of `exec.run`.
    static let execRemedies = [
        "timeout": "write `expiration: {after: 5m}` beside `parameters`",
        "env": "write `environment: {NAME: value}`",
    ]

    static let root = Section(
        name: "the manifest",
        keys: [
            "bgrun", "app", "modes", "permitted_identifiers", "plugins", "tasks", "device",
            "policy", "user", "group", "control_group", "hooks", "transfers", "push",
        ],
        required: ["bgrun", "app", "permitted_identifiers", "tasks"])
    static let plugin = Section(
        name: "a plugin", keys: ["path", "sha256", "workers"], required: ["path"])
    static let task = Section(
        name: "a task",
        keys: [
            "kind", "handler", "calls", "call", "parameters", "environment", "requires",
            "earliest", "every", "flex", "cron", "calendar", "zone", "start_deadline", "on",
            "submit",
            "expiration", "retry", "overlap", "catch_up", "jitter", "strategy",
        ],
        required: ["kind"], remedies: taskRemedies)
    static let on = Section(name: "`on`", keys: ["launch", "resume", "path", "socket"])
    static let socket = Section(name: "`socket`", keys: ["unix", "mode", "tcp"])
    static let requires = Section(
        name: "`requires`", keys: ["power", "network", "idle", "battery", "storage", "gpu"])
    static let expiration = Section(name: "`expiration`", keys: ["after", "grace"])
    static let retry = Section(name: "`retry`", keys: ["backoff", "from", "to", "attempts"])
    static let device = Section(
        name: "`device`",
        keys: [
            "power", "battery", "low_power_mode", "network", "idle", "storage", "thermal",
            "pressure",
            "gpu",
        ])
    static let policy = Section(
        name: "`policy`", keys: ["profile"] + PolicySetting.all.map(\.name))

    static let call = Section(
        name: "a call",
        keys: [
            "library", "function", "args", "returns", "result", "success", "always", "fixed_args",
        ],
        required: ["library", "function"])
    static let success = Section(
        name: "`success`", keys: ["equals", "not_equals", "at_least", "less_than"])
    static let value = Section(
        name: "an argument",
        keys: [
            "name", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64", "pointer",
            "string", "bytes", "hex", "file", "buffer", "pointer_to", "struct", "value_of",
            "field", "address_of", "length_of", "type", "callback",
        ])
    static let buffer = Section(
        name: "`buffer`", keys: ["capacity", "save"], required: ["capacity"])
    static let save = Section(name: "`save`", keys: ["path", "length"], required: ["path"])
    static let callback = Section(
        name: "`callback`",
        keys: ["parameters", "returns", "value", "value_when_expired", "log"])
    static let type = Section(name: "a type", keys: ["struct", "strings"])
    static let strings = Section(
        name: "`strings`", keys: ["counted_by"], required: ["counted_by"])

    static let hook = Section(
        name: "a hook",
        keys: [
            "on", "tasks", "run", "post", "headers_file", "ca_file", "after", "every", "waiting",
            "timeout",
        ],
        required: ["on"])
    static let hookCommand = Section(
        name: "`run`", keys: ["command", "argv", "directory", "environment"])

    static let transfer = Section(
        name: "a transfer",
        keys: [
            "download", "upload", "to", "method", "sha256", "discretionary", "metered", "every",
            "then", "on_failure", "rate", "max_size", "connections", "timeout", "headers",
            "credentials",
            "certificate", "ca", "proxy", "earliest", "retry", "tls",
        ],
        required: ["to"])
    static let timeout = Section(name: "`timeout`", keys: ["request", "resource"])
    static let certificate = Section(
        name: "`certificate`", keys: ["file", "key"], required: ["file", "key"])
    static let transferRetry = Section(name: "`retry`", keys: ["from", "to", "attempts"])

    static let push = Section(name: "`push`", keys: ["inbox", "socket", "webhook", "mqtt"])
    static let pushPlace = Section(
        name: "a place of pushes", keys: ["path", "task"], required: ["path"])
    static let webhook = Section(
        name: "`webhook`", keys: ["listen", "token"], required: ["listen", "token"])
    static let mqtt = Section(
        name: "`mqtt`",
        keys: ["broker", "topics", "task", "credentials", "ca", "client_id"],
        required: ["broker", "topics"])

    static let all = [
        root, transfer, timeout, certificate, transferRetry, hook, hookCommand, push, pushPlace,
        webhook, mqtt, plugin, task, on, socket, requires, expiration, retry, device,
        policy, call, success, value,
        buffer, save, callback, type, strings,
    ]
}
