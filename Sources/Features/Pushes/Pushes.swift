// SPDX-License-Identifier: Apache-2.0

import BGRunHost

/// Silent pushes: messages that submit a task.
package enum Pushes {
    /// - Parameter isListening: Whether the sources of the manifest are opened; not where a scenario says what
    ///   happens.
    package static func feature(isListening: Bool = true) -> HostFeatureMaker {
        { try PushesFeature($0, $1, isListening: isListening) }
    }
}
