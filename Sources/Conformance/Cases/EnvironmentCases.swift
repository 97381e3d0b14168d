// SPDX-License-Identifier: Apache-2.0

import BGRunProtocol
import CBGRunPlugin
import Glibc

extension ConformanceCase {
    /// The state of the process after an attempt.
    static let environment = [
        ConformanceCase(
            handler: "leaves.children", "waits for every child it starts",
            remedy: "wait for children before complete(); what is left is killed"
        ) { handler in
            try handler.left(.children) ? .failed("a process it started lived on") : .passed
        },
        ConformanceCase(
            handler: "leaves.threads", "leaves no thread running",
            remedy: "join threads, or set BGRUN_PLUGIN_KEEPS_THREADS for those that stay"
        ) { handler in
            try handler.left(.threads)
                ? .failed("a thread lived on: the worker cannot be used again") : .passed
        },
        ConformanceCase(
            handler: "leaves.descriptors", "leaves no descriptor open",
            remedy: "close what was opened, or set BGRUN_PLUGIN_KEEPS_DESCRIPTORS for what stays"
        ) { handler in
            guard try handler.left(.descriptors) else { return .passed }
            let states = try handler.series.states
            let opened = states.count > 1 ? states[1].opened(since: states[0]) : []
            return .failed("left open: \(opened.joined(separator: ", "))")
        },
        ConformanceCase(
            handler: "leaves.signals", "does not change what signals do",
            remedy: "set signal handlers back before complete(), or use none"
        ) { handler in
            let states = try handler.series.states
            guard states.count > 1 else { return .skipped("its worker did not become idle") }
            return states[1].changesSignals(since: states[0])
                ? .failed("other signals are caught or ignored than before") : .passed
        },
        ConformanceCase(
            handler: "leaves.process", "does not change the environment or the priority",
            remedy: "hand children a changed environment of their own; set no priority"
        ) { handler in
            let states = try handler.series.states
            let isSignals = states.count > 1 && states[1].changesSignals(since: states[0])
            return try handler.left(.process) && !isSignals
                ? .failed("the environment or the priority is another than before") : .passed
        },
        ConformanceCase(
            handler: "leaves.place", "leaves directory, file mode mask and signal mask as they are",
            remedy: "use paths from manifest_directory instead of chdir, and openat or fchmod"
        ) { handler in
            let states = try handler.series.states
            guard states.count > 1 else { return .skipped("its worker did not become idle") }
            var changed: [String] = []
            if states[1].directory != handler.task.directory { changed.append("the directory") }
            if states[1].mask != states[0].mask { changed.append("the file mode mask") }
            if states[1].blocked != states[0].blocked { changed.append("the signal mask") }
            return changed.isEmpty
                ? .passed
                : .warned("changed, and set back by bgrun: \(changed.joined(separator: ", "))")
        },
        ConformanceCase(
            handler: "leaves.hundred",
            "runs up to 100 attempts in one process without leaking",
            remedy: "free, close and join on every path, also after an error"
        ) { handler in
            let series = try handler.series
            let count = series.records.count
            guard series.states.count > 3 else {
                return .skipped(
                    series.states.count > count
                        ? "the timeout leaves time for \(count) of 3 attempts; give a longer --timeout"
                        : "its worker cannot be used again")
            }
            let second = series.states[2]
            let last = series.states[series.states.count - 1]
            let grown = last.threads - second.threads
            if grown > handler.allowedThreads(attempts: count - 2) {
                return .failed("\(grown) threads more than at first")
            }
            if last.descriptors.count > second.descriptors.count {
                let opened = last.opened(since: second).prefix(3).joined(separator: ", ")
                return .failed("more descriptors than at first: \(opened)")
            }
            guard series.records.allSatisfy({ $0.report != nil }) else {
                return .failed("attempt \(count) did not complete")
            }
            // Fewer than 100 attempts do not fail the case: the timeout ended the series, not the plugin.
            return .passed
        },
    ]
}

extension HandlerBench {
    /// Whether any attempt with the declared inputs left this behind.
    fileprivate func left(_ what: WorkerMessage.Leftovers) throws -> Bool {
        try series.records.contains { $0.leftovers.contains(what) }
    }

    /// The number of additional threads permitted after this many attempts: a plugin may have a pool of
    /// threads, which grows to the number of processors under load.
    fileprivate func allowedThreads(attempts: Int) -> Int {
        guard keeps(BGRUN_PLUGIN_KEEPS_THREADS) else { return 0 }
        return max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), attempts / 2)
    }
}
