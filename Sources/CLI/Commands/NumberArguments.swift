// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunManifest
import BGRunPolicy

extension ArgumentHelp {
    /// Help for an option whose value has this name.
    static func value(
        _ name: String, _ abstract: String, discussion: String? = nil
    ) -> ArgumentHelp {
        ArgumentHelp(abstract, discussion: discussion, valueName: name)
    }
}

extension CompletionKind {
    static var yamlFiles: CompletionKind { .file(extensions: ["yaml", "yml"]) }
}

/// A count on the command line, which must not be negative.
enum CountArgument {
    @Sendable
    static func parse(_ text: String) throws -> Int {
        guard let count = Int(text) else {
            throw ValidationError("\"\(text)\" is not a count; write a number, such as 20")
        }
        return count
    }
}

/// A duration on the command line, in the format of the manifest.
enum DurationArgument {
    @Sendable
    static func parse(_ text: String) throws -> Interval {
        guard let interval = Interval(manifestText: text) else {
            throw ValidationError(
                "\"\(text)\" is not a duration; write a number and a unit, such as 90s, 15m or 1d12h"
            )
        }
        return interval
    }
}
