// SPDX-License-Identifier: Apache-2.0

extension RunCommand {
    /// The command of arguments as cron and services give them, made without the parser: its reflection
    /// takes half of the instructions of a run that has nothing to do. Nil for all other arguments, which
    /// the parser reads or rejects.
    static func plain(_ arguments: ArraySlice<String>) -> RunCommand? {
        var manifest: String?
        var state: String?
        var flags: Set<String> = []
        var rest = arguments
        while let word = rest.popFirst() {
            switch word {
            case "--manifest", "-m":
                guard manifest == nil, let path = value(&rest) else { return nil }
                manifest = path
            case "--state":
                guard state == nil, let path = value(&rest) else { return nil }
                state = path
            case "--once", "--stay", "--quiet": flags.insert(word)
            default: return nil
            }
        }
        guard let manifest, !flags.isSuperset(of: ["--once", "--stay"]) else { return nil }
        return RunCommand(
            manifest: manifest, state: state, once: flags.contains("--once"),
            stay: flags.contains("--stay"), quiet: flags.contains("--quiet"))
    }

    /// What follows an option, unless it is another option or is empty.
    private static func value(_ rest: inout ArraySlice<String>) -> String? {
        guard let word = rest.first, !word.isEmpty, !word.hasPrefix("-") else { return nil }
        return rest.popFirst()
    }

    /// Every option has to be set: one that is not ends the program when it is read.
    private init(manifest: String, state: String?, once: Bool, stay: Bool, quiet: Bool) {
        self.init()
        var place = StateOption()
        place.state = state
        var app = ManifestOptions()
        app.file = ManifestOption()
        app.file.manifest = manifest
        app.place = place
        var device = DeviceOptions()
        device.device = .host
        device.scenario = nil
        device.clock = nil
        device.seed = nil
        var logging = LogOptions()
        logging.quiet = quiet
        logging.verbose = false
        logging.json = false
        logging.priorities = false
        self.app = app
        self.device = device
        self.once = once
        self.stay = stay
        self.waitLock = nil
        self.logging = logging
        self.share = nil
    }
}
