// SPDX-License-Identifier: Apache-2.0

import UIKit

/// How near an app is to a person. A plugin is in the `background`; it is `active` when it is told that a
/// person has used it (`bgrun open`), and enters the background again at once.
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
        case .background: self = .background
        }
    }
}
