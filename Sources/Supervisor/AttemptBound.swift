// SPDX-License-Identifier: Apache-2.0

import BGRunPolicy

/// The number of attempts that a limit of the operating system allows. Beyond it workers would still start, but the
/// commands of their handlers would fail.
package struct AttemptBound: Hashable, Sendable {
    package var attempts: Int
    package var resource: Resource

    package init(attempts: Int, resource: Resource) {
        precondition(attempts > 0, "a bound of \(attempts) attempts would run none")
        self.attempts = attempts
        self.resource = resource
    }
}
