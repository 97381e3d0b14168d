// SPDX-License-Identifier: Apache-2.0

public import BackgroundTasks
public import SwiftUI
public import UIKit

/// Complete apps, launched by their main types.
extension SimulatedScheduler {
    /// Launches an app that uses SwiftUI.
    @MainActor
    public func launchApp<Content: App>(_ app: Content.Type) {
        launchApp { UIApplication.shared.launch(app: app) }
    }

    /// Launches an app that uses UIKit.
    @MainActor
    public func launchApp(_ delegate: any UIApplicationDelegate.Type) {
        launchApp { UIApplication.shared.launch(delegate: delegate) }
    }

    /// Launches a plugin that uses bgrun's form.
    @MainActor
    public func launchApp<Plugin: BGRunPlugin>(_ plugin: Plugin.Type) {
        launchApp { _ = plugin.init() }
    }

    /// The user opens the app.
    @MainActor
    public func enterForeground() {
        runtime.withCurrent { UIApplication.shared.enterForeground() }
    }

    /// The user leaves the app, at which apps usually submit their requests.
    @MainActor
    public func enterBackground() {
        runtime.withCurrent { UIApplication.shared.enterBackground() }
    }
}
