// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BGRunPolicy

/// Which requests or attempts are meant.
struct TagOption: ParsableArguments {
    @Option(help: ArgumentHelp("Only those with this tag.", valueName: "tag"))
    var tag: String?

    func validate() throws {
        if let problem = tag.flatMap(Tags.problem(of:)) {
            throw ValidationError("--tag: \(problem)")
        }
    }

    /// The tag as a word of annotations.
    var word: String? { tag.map(Annotations.word(forTag:)) }
}
