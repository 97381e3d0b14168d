// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The events of a simulation: their digest, and their lines on request.
package struct Trace {
    private let isKept: Bool
    public private(set) var lines: [String] = []
    /// Does not depend on the order of events at one instant: the host uses dictionaries.
    public private(set) var digest: UInt64 = 0

    init(isKept: Bool) {
        self.isKept = isKept
    }

    mutating func note(
        at now: Instant, _ kind: UInt64, _ a: Int64, _ b: Int64, _ text: @autoclosure () -> String
    ) {
        var mixed = kind
        for word in [now.elapsed, now.wall.milliseconds, a, b] {
            mixed = (mixed ^ UInt64(bitPattern: word)) &* 0xBF58_476D_1CE4_E5B9
            mixed ^= mixed >> 29
        }
        digest &+= mixed
        guard isKept else { return }
        let seconds = now.elapsed / 1_000_000_000
        let rest = String(now.elapsed / 1_000_000 % 1_000 + 1_000).dropFirst()
        lines.append("[\(seconds).\(rest)] \(Self.short(text()))")
    }

    /// Removes the names of modules.
    private static func short(_ text: String) -> String {
        var short = ""
        for word in text.split(separator: "BGRun", omittingEmptySubsequences: false) {
            guard !short.isEmpty || word.startIndex != text.startIndex,
                let dot = word.firstIndex(of: "."), word[..<dot].allSatisfy(\.isLetter)
            else {
                short += word
                continue
            }
            let rest = word[word.index(after: dot)...]
            let type = rest.firstIndex(of: ".").map { rest[rest.index(after: $0)...] }
            let head = rest.prefix { $0.isLetter }
            short += rest.dropFirst(head.count).first == "." ? type ?? rest : rest
        }
        return short
    }
}

extension TaskRequest: CustomStringConvertible {
    package var description: String {
        "request \(id) of \(identifier) (failures \(failures), interruptions \(interruptions), earliest "
            + "\(earliest.map { "\($0.milliseconds)" } ?? "now"))"
    }
}

/// The properties that must hold at any time.
package enum Invariant: String, Sendable, CaseIterable {
    case acknowledged = "every acknowledged request is pending, running or recorded, exactly once"
    case durable = "what is answered is on the disk, also after a power cut"
    case deadline = "every attempt ends by its deadline plus its grace plus the waits of the policy"
    case processes = "no process outlives its attempt, and no task runs twice at the same time"
    case ladder = "an attempt is told first, then sent SIGTERM, then SIGKILL, each once"
    case launch = "a handler is entered only when its launch and its process are stored"
    case time = "an attempt has all of its time when its handler is entered"
    case retry =
        "a request whose attempt failed or was interrupted is pending again if its task says so"
    case agreement = "what the host knows as pending and running is what is stored"
    case answers = "every question is answered exactly once"
    case store =
        "the host stores nothing that the store refuses, and ends for nothing but its store"
    case replay = "the journal replays to the same decisions"
    case progress =
        "without faults everything that is due runs, and the host ends when it is asked to"
}

/// A seed's violation of an invariant.
package struct Violation: Error, Sendable, CustomStringConvertible {
    package var seed: UInt64
    package var invariant: Invariant
    package var detail: String

    package var description: String {
        "seed \(seed) breaks \"\(invariant.rawValue)\": \(detail)"
    }
}
