// SPDX-License-Identifier: Apache-2.0

extension RunCommand {
    /// `run` with the options of cron jobs and services, read without ArgumentParser, whose reflection takes as
    /// long as all the rest of a run with nothing to do. Nil for other options, and where something is wrong.
    init?(plain arguments: ArraySlice<String>) {
        var arguments = arguments
        var files: [String: String] = [:]
        var flags: Set<String> = []
        while let word = arguments.popFirst() {
            switch word {
            case "--once", "--stay", "--quiet", "--verbose": flags.insert(word)
            case "-q": flags.insert("--quiet")
            case "-v": flags.insert("--verbose")
            case "--manifest", "-m", "--state":
                let name = word == "-m" ? "--manifest" : word
                guard files[name] == nil, let file = arguments.popFirst(), !file.isEmpty,
                    !file.hasPrefix("-")
                else { return nil }
                files[name] = file
            default: return nil
            }
        }
        guard let manifest = files["--manifest"], !flags.isSuperset(of: ["--once", "--stay"]),
            !flags.isSuperset(of: ["--quiet", "--verbose"])
        else { return nil }
        self.init()
        var place = StateOption()
        place.state = files["--state"]
        app = ManifestOptions()
        app.manifest = manifest
        app.place = place
        logging = LogOptions()
        logging.quiet = flags.contains("--quiet")
        logging.verbose = flags.contains("--verbose")
        logging.json = false
        logging.priorities = false
        device = DeviceOptions()
        device.device = .host
        device.scenario = nil
        device.clock = nil
        device.seed = nil
        once = flags.contains("--once")
        stay = flags.contains("--stay")
        waitLock = nil
        share = nil
    }
}
