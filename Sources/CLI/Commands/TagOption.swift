// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy

/// The tag that selects requests or attempts.
struct TagOption: ParsableArguments {
    @Option(help: .value("tag", "Only those with this tag."))
    var tag: String?

    func validate() throws {
        if let problem = tag.flatMap(Tags.problem(of:)) {
            throw ValidationError("--tag: \(problem)")
        }
    }

    /// The tag as an annotation word.
    var word: String? { tag.map(Annotations.word(forTag:)) }
}
