// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks

/// All that is bgrun's: in an app, `didFinishLaunchingWithOptions` calls the same function.
@main
struct Photos: BGRunPlugin {
    init() {
        BackgroundWork.register()
    }
}
