// SPDX-License-Identifier: Apache-2.0

public import BackgroundTasks
public import SwiftUI
public import UIKit

/// Whole apps, as their main types launch them.
extension SimulatedScheduler {
    /// Launches an app in SwiftUI's form.
    @MainActor
    public func launchApp<Content: App>(_ app: Content.Type) {
        launchApp { UIApplication.shared.launch(app: app) }
    }

    /// Launches an app in UIKit's form.
    @MainActor
    public func launchApp(_ delegate: any UIApplicationDelegate.Type) {
        launchApp { UIApplication.shared.launch(delegate: delegate) }
    }

    /// Launches a plugin in bgrun's form.
    @MainActor
    public func launchApp<Plugin: BGRunPlugin>(_ plugin: Plugin.Type) {
        launchApp { _ = plugin.init() }
    }

    /// A person opens the app.
    @MainActor
    public func enterForeground() {
        runtime.withCurrent { UIApplication.shared.enterForeground() }
    }

    /// A person leaves the app, which is where apps like to submit their requests.
    @MainActor
    public func enterBackground() {
        runtime.withCurrent { UIApplication.shared.enterBackground() }
    }
}
