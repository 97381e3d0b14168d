// SPDX-License-Identifier: Apache-2.0

import UIKit

/// The visibility of an app. A plugin is in the `background`; it becomes `active` after the user
/// has used the app (`bgrun open`), and returns to the background immediately.
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
