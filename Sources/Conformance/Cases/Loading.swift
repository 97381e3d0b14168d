// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy
import BGRunProtocol
import BGRunSupervisor
import CBGRunPlugin

extension ConformanceCase {
    /// Loading into a worker, and compatibility with hosts.
    static let loading = [
        ConformanceCase(
            plugin: "load.loads", "is loaded: its entry and its init return, and it has handlers",
            remedy: "run it under a debugger as `bgrun-worker` does: dlopen, entry, init"
        ) { bench in
            switch try bench.loading.0 {
            case .loaded: .passed
            case .refused(let reason): .failed(reason)
            case .died(let how): .failed("loading it killed the worker: \(how)")
            case .hung: .failed("its entry or init did not return in time")
            }
        },
        ConformanceCase(
            plugin: "load.registers", "registers each handler once, under a valid name",
            remedy: "give each handler a name of its own: 1 to 128 of A-Z, a-z, 0-9, - and _"
        ) { bench in
            try bench.requiringLoad {
                let refused = try bench.loading.1.filter { $0.call == "register_handler" }
                guard let first = refused.first else { return .passed }
                let why = first.status == BGRUN_E_EXISTS ? "its name is taken" : "it is not valid"
                return .failed("\(refused.count) registrations were refused, the first as \(why)")
            }
        },
        ConformanceCase(
            plugin: "load.twice", "is loaded in two processes at once",
            remedy: "take no lock and no port while the plugin is loaded: several workers load it"
        ) { bench in
            try bench.requiringLoad {
                let first = try bench.site.worker()
                let second = try bench.site.worker()
                let both = [first, second].map { $0.load(within: bench.options.limit.nanoseconds) }
                return both.allSatisfy(\.isLoaded)
                    ? .passed : .failed("one of them did not load: \(both.map(\.text))")
            }
        },
        ConformanceCase(
            plugin: "abi.newer-minor",
            "works with a host of a newer minor version, whose structs are longer",
            remedy: "compare major versions only, and never a struct_size for equality"
        ) { bench in
            try bench.onHost(.host(minor: 99, hasLongerStructs: true), mayRefuse: false)
        },
        ConformanceCase(
            plugin: "abi.first",
            "works with a host of the first version of its major, or refuses it",
            remedy: "look for each extension, and do without those that are NULL"
        ) { bench in
            try bench.onHost(.host(minor: 0), mayRefuse: true)
        },
        ConformanceCase(
            plugin: "abi.other-major",
            "does not work with a host of a major version it does not know",
            remedy: "return NULL from the entry when host_abi_version >> 16 is not BGRUN_ABI_MAJOR"
        ) { bench in
            try bench.requiringLoad {
                switch try bench.load(.host(major: BGRUN_ABI_MAJOR + 1, minor: 0)).0 {
                case .refused: .passed
                case .loaded: .failed("it says that it was built for that version")
                case .died(let how): .failed(how)
                case .hung: .failed("its entry did not return")
                }
            }
        },
        ConformanceCase(
            plugin: "extension.none", "is loaded by a host without extensions, or refuses it",
            remedy: "take NULL from get_extension for \"not supported\""
        ) { bench in
            try bench.onHost(.host(hasExtensions: false), mayRefuse: true)
        },
        ConformanceCase(
            plugin: "extension.unknown", "answers NULL for an extension it does not know",
            remedy: "compare the whole id in bgrun_plugin.get_extension, and end with NULL"
        ) { bench in
            try bench.requiringLoad {
                let isAnswered = try bench.loading.1.contains {
                    $0.call == "get_extension of the plugin"
                }
                return isAnswered
                    ? .failed("it answered something for bgrun.no-such-feature/1") : .passed
            }
        },
    ]
}

extension PluginBench {
    func requiringLoad(_ judge: () throws -> CaseStatus) throws -> CaseStatus {
        try loading.0.isLoaded ? judge() : .skipped("it is not loaded")
    }

    /// Loads it on another host, which it may refuse without crashing.
    fileprivate func onHost(_ host: HostMessage.Trial, mayRefuse: Bool) throws -> CaseStatus {
        try requiringLoad {
            switch try load(host).0 {
            case .loaded: .passed
            case .refused(let reason): mayRefuse ? .warned(reason) : .failed(reason)
            case .died(let how): .failed(how)
            case .hung: .failed("its entry or init did not return in time")
            }
        }
    }
}

extension PluginProbe.Finding {
    var isLoaded: Bool {
        if case .loaded = self { true } else { false }
    }

    var text: String {
        switch self {
        case .loaded: "loaded"
        case .refused(let reason): "refused: \(reason)"
        case .died(let how): how
        case .hung: "did not return"
        }
    }
}
