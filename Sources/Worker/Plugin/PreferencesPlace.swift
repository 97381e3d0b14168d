// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where Foundation keeps an app's UserDefaults. CoreFoundation, which a Swift plugin loads, reads XDG_CONFIG_HOME
/// once, while it is loaded. The SDK, which sets the app's other directories, is called later.
enum PreferencesPlace {
    private static let variable = "XDG_CONFIG_HOME"

    /// Calls `load` with the directory in the app's home, unless the task sets the variable itself. Afterwards the
    /// variable is restored: a program started by another plugin needs the user's value.
    static func set<Value, Failure: Error>(
        during load: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let home = value("BGRUN_APP_HOME"), home.hasPrefix("/"),
            let own = value("BGRUN_APP_HOME_KEEP"),
            !own.split(separator: " ").contains(where: { $0 == variable })
        else { return try load() }
        let inherited = value(variable)
        setenv(variable, home + "/Library/Preferences", 1)
        defer {
            if let inherited { setenv(variable, inherited, 1) } else { unsetenv(variable) }
        }
        return try load()
    }

    private static func value(_ variable: String) -> String? {
        getenv(variable).map { String(cString: $0) }
    }
}
