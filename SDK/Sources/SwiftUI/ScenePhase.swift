// SPDX-License-Identifier: Apache-2.0

import UIKit

/// How near an app is to a person. A plugin begins `inactive` and enters the `background` once in a
/// process, as its first attempt begins; it is `active` in the testing kit only.
public enum ScenePhase: Comparable, Hashable, Sendable {
    case background
    case inactive
    case active
}

extension ScenePhase {
    @MainActor
    init(of application: UIApplication) {
        switch application.applicationState {
        case .active: self = .active
        case .inactive: self = .inactive
        case .background: self = application.hasEnteredBackground ? .background : .inactive
        }
    }
}
