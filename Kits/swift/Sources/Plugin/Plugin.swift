// SPDX-License-Identifier: Apache-2.0 OR 0BSD

import BackgroundTasks
import Handlers

@main
struct Plugin: BGRunPlugin {
    init() {
        registerHandlers()
    }
}
