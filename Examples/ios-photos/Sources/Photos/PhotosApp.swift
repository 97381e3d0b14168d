// SPDX-License-Identifier: Apache-2.0

import BackgroundTasks

/// The only code for bgrun: in an app, `didFinishLaunchingWithOptions` calls the same function.
@main
struct Photos: BGRunPlugin {
    init() {
        BackgroundWork.register()
    }
}
